/** What the turns of a run cost, in sum. A figure that no turn reports is absent. Pure. */
import type { AgentRunResult, SessionEventOf } from '@roundhouse/backend-types'

export interface TurnSums {
  readonly cost?: number
  readonly inputTokens?: number
  readonly outputTokens?: number
  readonly cachedTokens?: number
  readonly cacheWriteTokens?: number
  readonly apiDuration?: number
  readonly numTurns?: number
  /** Of the last turn that says it. */
  readonly stopReason?: string
}

const summed = [
  'cost',
  'inputTokens',
  'outputTokens',
  'cachedTokens',
  'cacheWriteTokens',
  'apiDuration',
  'numTurns',
] as const

export function addFigures(
  sums: TurnSums,
  { cost, usage, apiDuration, numTurns, stopReason }: SessionEventOf<'turn_completed'>,
): TurnSums {
  const turn: TurnSums & { [K in (typeof summed)[number]]?: number | undefined } = {
    ...usage,
    cost,
    apiDuration,
    numTurns,
  } as TurnSums
  const added = summed.flatMap((name) => {
    const figure = turn[name]
    return figure === undefined ? [] : [[name, Math.min((sums[name] ?? 0) + figure, Number.MAX_SAFE_INTEGER)] as const]
  })
  return { ...sums, ...Object.fromEntries(added), ...(stopReason === undefined ? {} : { stopReason }) }
}

type Figures = Pick<AgentRunResult, 'usage' | 'totalCostUsd' | 'apiDurationMs' | 'numTurns' | 'stopReason'>

export function figuresOf(sums: TurnSums): Figures {
  const { cost, apiDuration, numTurns, stopReason } = sums
  return {
    ...usageOf(sums),
    ...(cost === undefined ? {} : { totalCostUsd: cost }),
    ...(apiDuration === undefined ? {} : { apiDurationMs: apiDuration }),
    ...(numTurns === undefined ? {} : { numTurns }),
    ...(stopReason === undefined ? {} : { stopReason }),
  }
}

function usageOf({ inputTokens, outputTokens, cachedTokens, cacheWriteTokens }: TurnSums): Pick<Figures, 'usage'> {
  const all = [inputTokens, outputTokens, cachedTokens, cacheWriteTokens]
  if (all.every((one) => one === undefined)) return {}
  return {
    usage: {
      inputTokens: Math.round(inputTokens ?? 0),
      outputTokens: Math.round(outputTokens ?? 0),
      ...(cachedTokens === undefined ? {} : { cacheReadTokens: Math.round(cachedTokens) }),
      ...(cacheWriteTokens === undefined ? {} : { cacheWriteTokens: Math.round(cacheWriteTokens) }),
    },
  }
}
