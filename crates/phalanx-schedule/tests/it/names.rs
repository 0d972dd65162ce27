//! Names in messages and pictures.

use phalanx_ecs::World;
use phalanx_schedule::{Engine, every_nth, manual};

#[test]
fn names_stay_in_one_line_of_messages_whatever_is_in_them() {
    const GROUP: &str = "Lev\nQel `1`";
    fn fails() -> Result<(), &'static str> {
        Err("no")
    }
    let mut engine = Engine::new();
    engine.add(fails).unwrap().named("fa\nQils\u{1b}").to(GROUP);
    engine.add(|| ()).unwrap().named("oth\nQer").to(GROUP);
    engine.group(GROUP).pace(manual()).unwrap();
    let fault = engine.run_group(GROUP).unwrap_err().to_string();
    assert!(
        fault.starts_with("error[S006]: system `fa\\nQils\\u{1b}` of group `Lev\\nQel \\`1\\`` failed\n  found: "),
        "{fault}"
    );
    let schedule = engine.schedule_mut();
    schedule.order("fa\nQils\u{1b}", "oth\nQer").unwrap();
    schedule.group(GROUP).disable();
    let messages = [
        schedule.order("oth\nQer", "fa\nQils\u{1b}").unwrap_err().to_string(),
        schedule.order("oth\nQer", "oth\nQer").unwrap_err().to_string(),
        schedule.find("no\nQne").unwrap_err().to_string(),
        schedule.run_group(&mut World::new(), "no\nQne").unwrap_err().to_string(),
        schedule.group(GROUP).pace(every_nth(0)).unwrap_err().to_string(),
        schedule.why_idle("oth\nQer").unwrap().to_string(),
        schedule.mermaid(GROUP),
        schedule.dot(GROUP),
    ];
    for message in messages {
        assert!(message.contains("\\n"), "{message}");
        // No line begins in the middle of a name.
        for line in message.lines() {
            assert!(!line.starts_with('Q'), "{message}");
        }
    }
    schedule.group("a\nQb");
    assert_eq!(schedule.empty_groups()[0].to_string(), "group `a\\nQb` has no systems");
}
