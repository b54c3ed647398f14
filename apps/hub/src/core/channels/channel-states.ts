/** How each channel stands, as its room reports it. In memory: a hub that starts connects again. */
import type { ChannelKind, ChannelState } from '@roundhouse/backend-types'

interface Standing {
  state: ChannelState
  /** Null while it is off. */
  since: number | null
}

export class ChannelStates {
  readonly #now: () => number
  readonly #states = new Map<ChannelKind, Standing>()

  constructor(now: () => number) {
    this.#now = now
  }

  tell(kind: ChannelKind, state: ChannelState): void {
    if (this.of(kind).state === state) return
    this.#states.set(kind, { state, since: state === 'off' ? null : this.#now() })
  }

  of(kind: ChannelKind): Standing {
    return this.#states.get(kind) ?? { state: 'off', since: null }
  }
}
