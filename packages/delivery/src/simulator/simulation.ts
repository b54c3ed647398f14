/** One run of one seed: a hub, machines and viewers in trouble for a while, then calm, then everything must be right. */
import { startBitFlips } from './bit-flips'
import { settle, verify } from './checks'
import { startFaults } from './faults'
import { Hub } from './hub/hub'
import type { HubDb } from './hub/hub-db'
import { type Kernel, kernel as realKernel } from './kernel'
import { Machine } from './machine/machine'
import { Viewer } from './viewer/viewer'
import { Violation } from './world/truth'
import { World } from './world/world'

export class Simulation {
  readonly world: World
  readonly hub: Hub
  readonly machines: Machine[] = []
  readonly viewers: Viewer[] = []
  readonly hubBackups: HubDb[] = []

  constructor(seed: number, kernel: Kernel, tracing: boolean) {
    this.world = new World(seed, kernel, tracing)
    this.hub = new Hub(this.world)
    const { agents, sessionsPerAgent, viewers } = this.world.plan
    for (let count = 1; count <= agents; count += 1) {
      this.machines.push(new Machine(this.world, `a${count}`, sessionsPerAgent, this.hub))
    }
    const sessionIds = this.machines.flatMap((machine) => [...machine.hosts.keys()])
    for (let count = 1; count <= viewers; count += 1) {
      this.viewers.push(new Viewer(this.world, `v${count}`, sessionIds, this.hub))
    }
  }

  run(): void {
    this.world.trace(() => JSON.stringify(this.world.plan))
    this.hub.start()
    for (const { daemon } of this.machines) daemon.start()
    for (const viewer of this.viewers) viewer.start()
    startFaults(this)
    startBitFlips(this)
    this.world.run(this.world.plan.faultMs)
    this.world.trace(() => 'calm')
    this.world.calm = true
    for (const route of [
      ...this.machines.map(({ agentId }) => agentId),
      ...this.viewers.map(({ viewerId }) => viewerId),
    ]) {
      this.world.mend(route)
    }
    settle(this)
    verify(this)
  }
}

/** Null when the seed keeps every promise; otherwise what it broke. */
export function runSeed(seed: number, options: { kernel?: Kernel; tracing?: boolean } = {}): Violation | null {
  try {
    new Simulation(seed, options.kernel ?? realKernel, options.tracing ?? false).run()
    return null
  } catch (thrown) {
    if (thrown instanceof Violation) return thrown
    throw new Error(`seed ${seed} broke the simulator: ${replayLine(seed)}`, { cause: thrown })
  }
}

export function replayLine(seed: number): string {
  return `npm run sim -w @roundhouse/delivery -- --from ${seed} --seeds 1 --trace`
}
