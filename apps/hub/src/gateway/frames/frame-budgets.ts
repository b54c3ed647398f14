/**
 * FLOW-6: how many frames of each kind a link may send in a given time. The budgets are far above what an honest agent or page
 * sends, even after a long absence. A frame above its budget is handled later; it is never refused.
 */
import { isRecord } from '@roundhouse/backend-types'
import type { Budget } from '../../core'

export interface FrameRule extends Budget {
  /** It tells all there is, each time: one that waits gives way to the next, which is all that anybody needs to read. */
  level?: true
  /** Nothing else of the link begins before it is done. */
  alone?: true
  /** 1 where it does not say. */
  cost?: (frame: unknown) => number
}

export type FrameRules = Readonly<Record<string, FrameRule>>

const itemsOf = (field: string) => (frame: unknown) => {
  const items = (frame as Record<string, unknown> | null | undefined)?.[field]
  return 1 + (Array.isArray(items) ? items.length : 0)
}

/** `events` are not among them: they have their credits (FLOW-1). */
export const agentRules = {
  /** Once; what has no shape at all says nothing. */
  hello: { burst: 1, perSecond: 0, alone: true, cost: (frame) => (isRecord(frame) ? 1 : 0) },
  sessions: { burst: 45_000, perSecond: 2_000, alone: true, cost: itemsOf('sessions') },
  state: { burst: 25_000, perSecond: 1_000 },
  live: { burst: 25_000, perSecond: 5_000, cost: itemsOf('frames') },
  command: { burst: 25_000, perSecond: 1_000 },
  /** A prompt full of images is 200 chunks. */
  image: { burst: 400, perSecond: 100 },
  waits: { burst: 20, perSecond: 10, level: true },
  manifest: { burst: 5, perSecond: 0.5, level: true },
  /** An honest one comes with every ping: every 7 s. */
  clock: { burst: 10, perSecond: 0.5, level: true },
} as const satisfies FrameRules

export const viewerRules = {
  watch: { burst: 128, perSecond: 20 },
  unwatch: { burst: 128, perSecond: 20 },
  'watch.inbox': { burst: 32, perSecond: 2 },
  'block.get': { burst: 500, perSecond: 100 },
} as const satisfies FrameRules

/** What a program says within them is limited by itself, message by message (BUS-5). */
export const programRules = {
  hello: { burst: 8, perSecond: 0.5, alone: true },
  subscribe: { burst: 32, perSecond: 2 },
  /** Each message counts. Twice what one may say in a second (BUS-5): whoever floods is answered, and slowed alone. */
  publish: { burst: 2_000, perSecond: 1_000, cost: itemsOf('messages') },
  bye: { burst: 8, perSecond: 1 },
} as const satisfies FrameRules

/** Beyond this the link is closed: so many frames of any kind, and what waits of them. */
export interface FloodLimit extends Budget {
  waitingBytes: number
}

export const agentFlood: FloodLimit = { burst: 50_000, perSecond: 5_000, waitingBytes: 33_554_432 }
export const viewerFlood: FloodLimit = { burst: 2_000, perSecond: 200, waitingBytes: 1_048_576 }

export const programFlood: FloodLimit = { burst: 20_000, perSecond: 4_000, waitingBytes: 8_388_608 }

/** Counts everything that a connection sends, also what no lane counts: answers, heartbeats and the parts of a frame. */
export const rawOf = ({ burst, perSecond }: Budget): Budget => ({ burst: 2 * burst, perSecond: 2 * perSecond })

/** Beyond a frame of the right shape: a thousand at once, and then a hundred a second, are a flood of a machine. */
export const MALFORMED_COST = 50
