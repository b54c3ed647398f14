/** The state of something that works once: an enrollment token, an invitation. `burnt`: too many wrong secrets. */
import { z } from 'zod'

export const OneUseState = z.enum(['open', 'used', 'expired', 'burnt', 'revoked'])
export type OneUseState = z.infer<typeof OneUseState>
