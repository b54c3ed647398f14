/** `npm run matrix` plays every combination. `npm test` plays one of several similar ones, to stay short. */
import { wholeMatrix } from '../../../scripts/lib/runs/variation.mjs'
import type { RealBackend } from '../processes/backends'

export { wholeMatrix }

/** For a case that is the same on both programs: the one on which `npm test` plays it. */
export const playedOn = (one: RealBackend): RealBackend[] => (wholeMatrix ? ['claude', 'codex'] : [one])
