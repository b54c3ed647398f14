/**
 * What a log said about its session before its beginning was removed: from the saved projection, or else from the settings
 * beside the log.
 */
import { SoFar } from '@roundhouse/backend-types'
import { type SessionProjection, soFarOf } from '@roundhouse/delivery'

/** Null if nothing is known that a hub can read. */
export function readSoFar(meta: (key: string) => string | null): SoFar | null {
  const projection = parsed(meta('projection')) as SessionProjection | null
  const told = (projection && soFarOf(projection)) ?? fromSettings(parsed(meta('settings')))
  return SoFar.safeParse(told).data ?? null
}

/** Only settings without secrets. The log has the others in redacted form. */
function fromSettings(stored: unknown): unknown {
  const { settings, realWorkDir } = Object(stored) as { settings?: SoFar['settings']; realWorkDir?: string }
  const { backend, workDir, model, mode, sandbox, thinking } = settings ?? {}
  return { seq: 0, settings: { backend, workDir, model, mode, sandbox, thinking }, realWorkDir }
}

function parsed(text: string | null): unknown {
  try {
    return text === null ? null : JSON.parse(text)
  } catch {
    return null // the log's writer finds the damage
  }
}
