//! [`Follower`]: who is told at once that entities have other parents.

use phalanx_ecs::{Entity, Resource, Trigger, World};

/// What a layer above does about it: whether it wants to know at present, and what it does then. Others look at links when they need them.
#[derive(Resource, Clone, Copy, Default)]
#[resource(no_checksum)]
pub(crate) struct Follower {
    wants: Option<fn(&World) -> bool>,
    follow: Option<Follow>,
}

type Follow = fn(&mut World, &[Entity]);

impl Follower {
    pub(crate) fn set(&mut self, wants: fn(&World) -> bool, follow: Follow) {
        (self.wants, self.follow) = (Some(wants), Some(follow));
    }

    /// What is to be done at present.
    fn of(world: &World) -> Option<Follow> {
        let Self { wants, follow } = world.get_resource::<Self>()?;
        follow.filter(|_| wants.is_some_and(|wants| wants(world)))
    }
}

/// Entities have another parent.
pub(super) fn tell(world: &mut World, children: &[Entity]) {
    if let Some(follow) = Follower::of(world) {
        follow(world, children);
    }
}

/// Those that a hook is called for have another parent, or none, once the operation is done.
pub(super) fn tell_after(trigger: &mut Trigger<'_>) {
    if let Some(follow) = Follower::of(trigger.world()) {
        let children = trigger.entities().to_vec();
        trigger.defer(move |world| follow(world, &children));
    }
}
