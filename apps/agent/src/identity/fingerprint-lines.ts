/** What a person compares with the page of the hub: both keys, short, in the form that the page has. */
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
