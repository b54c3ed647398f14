/**
 * Connections between processes. A frame is a call on the other end: late, and while faults last perhaps never, twice or
 * out of order. Either end may think the connection open while the other has left; it finds out sooner or later.
 */
import type { Proc } from './proc'
import type { World } from './world'

export interface End<Self> {
  readonly proc: Proc
  /** The connection is of no more use to this end. */
  closed(channel: Self): void
}

type Side = 'client' | 'hub'
const other = { client: 'hub', hub: 'client' } as const

/** After this long without a sign of life an end gives up (LINK-4). */
const deadLinkMs = 15_000

export class Channel<C extends Proc, H extends Proc> {
  readonly #world: World
  readonly #open = { client: true, hub: true }
  readonly #lastArrival = { client: 0, hub: 0 }
  readonly #onClosed: { client: () => void; hub: () => void }
  /** A connection belongs to one life of each of its ends. */
  readonly #runs: { client: (call: () => void) => void; hub: (call: () => void) => void }

  constructor(
    world: World,
    readonly client: C,
    readonly hub: H,
    /** Frames on the same route are cut off together by a partition. */
    readonly route: string,
    onClosed: { client: (channel: Channel<C, H>) => void; hub: (channel: Channel<C, H>) => void },
  ) {
    this.#world = world
    const run = (call: () => void) => call()
    this.#runs = { client: client.bound(run), hub: hub.bound(run) }
    this.#onClosed = {
      client: client.bound(() => onClosed.client(this)),
      hub: hub.bound(() => onClosed.hub(this)),
    }
  }

  isOpen(side: Side): boolean {
    return this.#open[side]
  }

  toHub(call: (hub: H) => void): void {
    this.#send('client', () => call(this.hub))
  }

  toClient(call: (client: C) => void): void {
    this.#send('hub', () => call(this.client))
  }

  /** A question to the hub. `answered` runs at most once, `failed` when nothing came in time. */
  ask<R>(
    call: (hub: H, reply: (r: R) => void) => void,
    answered: (r: R) => void,
    late?: { ms: number; failed: () => void },
  ): void {
    const settle = once(answered)
    this.toHub((hub) => call(hub, (r) => this.toClient(() => settle.run(r))))
    if (late) this.client.after(late.ms, () => settle.pending() && this.#open.client && late.failed())
  }

  /** A question to the client. */
  askClient<R>(call: (client: C, reply: (r: R) => void) => void, answered: (r: R) => void): void {
    const settle = once(answered)
    this.toClient((client) => call(client, (r) => this.toHub(() => settle.run(r))))
  }

  /** This end leaves. The other hears of it at once, or when it misses the heartbeats. */
  close(side: Side): void {
    if (!this.#open[side]) return
    this.#open[side] = false
    const { rng, clock, calm } = this.#world
    const soon = calm || rng.chance(0.6)
    clock.after(soon ? rng.between(1, 50) : deadLinkMs, () => this.lose(other[side]))
  }

  /** This end finds the connection dead. */
  lose(side: Side): void {
    if (!this.#open[side]) return
    this.#open[side] = false
    this.#onClosed[side]()
  }

  #send(from: Side, call: () => void): void {
    if (!this.#open[from]) return
    const { rng, plan, calm } = this.#world
    if (this.#world.isCut(this.route, from)) return
    if (!calm && rng.chance(plan.drop)) return
    this.#deliver(from, call)
    if (!calm && rng.chance(plan.duplicate)) this.#deliver(from, call)
  }

  #deliver(from: Side, call: () => void): void {
    const { rng, plan, clock, calm } = this.#world
    const to = other[from]
    const late = !calm && rng.chance(plan.late) ? rng.between(0, 4_000) : 0
    let at = clock.now + rng.between(plan.latencyMs[0], plan.latencyMs[1]) + late
    if (calm || !plan.reorder) at = Math.max(at, this.#lastArrival[to])
    this.#lastArrival[to] = Math.max(at, this.#lastArrival[to])
    clock.after(at - clock.now, () => this.#open[to] && this.#runs[to](call))
  }
}

/** One HTTP request: beside every connection, at most once, and answered by null where nothing came. */
export function request<H extends Proc, R>(
  client: Proc,
  to: { hub: H; route: string; limitMs: number },
  call: (hub: H, reply: (r: R) => void) => void,
  done: (r: R | null) => void,
): void {
  const { world } = client
  const { rng, plan, clock } = world
  const settle = once(client.bound(done))
  client.after(to.limitMs, () => settle.run(null))
  const isLost = (from: Side) => world.isCut(to.route, from) || (!world.calm && rng.chance(plan.drop))
  const latencyMs = () =>
    rng.between(plan.latencyMs[0], plan.latencyMs[1]) +
    (!world.calm && rng.chance(plan.late) ? rng.between(0, 4_000) : 0)
  if (isLost('client')) return
  clock.after(latencyMs(), () => {
    if (!to.hub.up) settle.run(null)
    else call(to.hub, (r) => isLost('hub') || clock.after(latencyMs(), () => settle.run(r)))
  })
}

function once<R>(run: (r: R) => void): { run: (r: R) => void; pending: () => boolean } {
  let pending = true
  return {
    pending: () => pending,
    run: (r) => {
      if (!pending) return
      pending = false
      run(r)
    },
  }
}
