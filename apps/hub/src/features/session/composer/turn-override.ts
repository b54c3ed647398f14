/** A model or a mode for the next prompt only: each field overrides the session's setting for that turn (RES-7). Pure. */
import type { PromptRequest, SessionSettings } from '@roundhouse/backend-types'

export type TurnOverride = NonNullable<PromptRequest['override']>

/** Choosing the current value is not an override. */
export function overrideWith(
  before: TurnOverride,
  field: keyof TurnOverride,
  value: string,
  sticky: Pick<SessionSettings, 'model' | 'mode'>,
): TurnOverride {
  const { [field]: _before, ...others } = before
  return value === sticky[field] ? others : { ...others, [field]: value }
}

export function promptWith(prompt: PromptRequest, override: TurnOverride): PromptRequest {
  return Object.keys(override).length > 0 ? { ...prompt, override } : prompt
}
