/** The short forms of both keys, which a person compares with the hub's page. */
import { shortFingerprint } from '@roundhouse/backend-types'
import { fingerprintOf } from '@roundhouse/keys'
import type { Identity } from './identity-file'

export const fingerprintLines = ({
  publicKey,
  hubPublicKey,
}: Pick<Identity, 'publicKey' | 'hubPublicKey'>): string[] => [
  `  key of this machine   ${shortFingerprint(fingerprintOf(publicKey))}`,
  `  key of the hub        ${shortFingerprint(fingerprintOf(hubPublicKey))}`,
]
