/** Counts tokens the cheap way, four characters each, so that the figures depend on nothing but the conversation. */
import { windows } from '../script/catalogue'
import type { Tokens } from '../script/frames'
import type { CallingStep, MeteredStep, SpokenStep } from '../script/script'

const LARGE = { total: 200_000, maxOutputTokens: 32_000 }

export function modelOf(code: string): { total: number; maxOutputTokens: number } {
  return windows[code] ?? LARGE
}

/** Of one model call. A script may set the figures. */
export function tokensOf(step: SpokenStep & CallingStep & MeteredStep, historyLength: number, said: string): Tokens {
  const written = said.length + (step.thinking?.length ?? 0) + JSON.stringify(step.input ?? step.tools ?? '').length
  return {
    input: step.usage?.input_tokens ?? Math.ceil(historyLength / 4),
    output: step.usage?.output_tokens ?? Math.ceil(written / 4),
    cached: step.usage?.cache_read_input_tokens ?? 0,
    written: step.usage?.cache_creation_input_tokens ?? 0,
  }
}
