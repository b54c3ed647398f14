/** The names of a session's backend and its modes, as the session's machine reports them. */
import { backendName } from '@roundhouse/backend-types'
import { modeLabel } from '../../../ui/text/setting-words'

export interface Names {
  backend(kind: string): string
  mode(code: string): string
}

/** Used if no machine reports names. */
export const plainNames: Names = { backend: (kind) => backendName(kind), mode: (code) => modeLabel(code) }
