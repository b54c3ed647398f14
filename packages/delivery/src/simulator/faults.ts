/** Makes trouble, as often as the seed's plan says, until the world is calm. */
import type { Simulation } from './simulation'
import { type FaultKind, faultKinds } from './world/plan'

type Trouble = (sim: Simulation) => void

const trouble: Record<FaultKind, Trouble> = {
  hubCrash: ({ hub }) => hub.crash(),
  daemonCrash: ({ world, machines }) => world.rng.pick(machines)?.daemon.crash(),
  hostCrash: (sim) =>
    world(sim)
      .pick([...(anyMachine(sim)?.hosts.values() ?? [])])
      ?.crash(),
  powerCut: (sim) => anyMachine(sim)?.powerCut(),
  partition: (sim) => {
    const route = world(sim).pick([
      ...sim.machines.map(({ agentId }) => agentId),
      ...sim.viewers.map(({ viewerId }) => viewerId),
    ])
    if (route === undefined) return
    const direction = world(sim).pick(['both', 'client', 'hub'] as const) ?? 'both'
    sim.world.trace(() => `${route} is cut off, ${direction}`)
    sim.world.cut(route, direction)
    // Now and then longer than the heartbeats.
    const { rng, clock } = sim.world
    clock.after(rng.chance(0.3) ? rng.between(15_000, 25_000) : rng.between(200, 5_000), () => sim.world.mend(route))
  },
  hubRestore: ({ world, hub, hubBackups }) => {
    // By its own epoch only does a hub see that somebody put it back.
    const { epoch } = hub.disk.durable
    const backup = world.rng.pick(hubBackups.filter((db) => world.plan.restoredBy === 'command' || db.epoch === epoch))
    if (!backup) return
    hub.restore(backup)
    // Not simulated: back to an old state and then forward to a newer one, whose events have got other numbers since.
    hubBackups.splice(hubBackups.indexOf(backup) + 1)
  },
  logLoss: (sim) => {
    const machine = anyMachine(sim)
    const host = world(sim).pick([...(machine?.hosts.values() ?? [])])
    if (machine && host) machine.loseLog(host)
  },
  prune: (sim) => {
    const machine = anyMachine(sim)
    const host = world(sim).pick([...(machine?.hosts.values() ?? [])])
    if (machine && host) machine.prune(host)
  },
  fullDisk: (sim) => {
    const hosts = sim.machines.flatMap((machine) => [...machine.hosts.values()])
    const whose = world(sim).pick([sim.hub, ...hosts])
    const ms = world(sim).between(500, 6_000)
    sim.world.trace(() => `the disk of ${whose?.name} is full for ${ms} ms`)
    whose?.disk.fill(ms)
  },
  viewerReload: ({ world, viewers }) => world.rng.pick(viewers)?.crash(),
}

export function startFaults(sim: Simulation): void {
  const { clock, plan, rng } = sim.world
  const again = (kind: FaultKind): void => {
    const mean = plan.every[kind]
    clock.after(rng.between(Math.floor(mean * 0.3), Math.floor(mean * 1.7)), () => {
      if (sim.world.calm) return
      again(kind)
      trouble[kind](sim)
    })
  }
  for (const kind of faultKinds) if (plan.every[kind] > 0) again(kind)
  const takeBackups = (): void => {
    clock.after(rng.between(1_000, 5_000), () => {
      if (sim.world.calm) return
      sim.hubBackups.push(sim.hub.disk.durable)
      for (const machine of sim.machines) machine.backup()
      takeBackups()
    })
  }
  takeBackups()
}

const world = (sim: Simulation) => sim.world.rng
const anyMachine = (sim: Simulation) => sim.world.rng.pick(sim.machines)
