/** The names of a session's backend and its modes, as the session's machine reports them. */
import { backendName } from '@roundhouse/backend-types'
import { modeLabel } from '../../../ui/text/setting-words'

export interface Names {
  backend(kind: string): string
  mode(code: string): string
}

/** Where no machine says it. */
export const plainNames: Names = { backend: (kind) => backendName(kind), mode: (code) => modeLabel(code) }
