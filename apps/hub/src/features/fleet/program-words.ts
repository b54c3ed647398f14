/** Whether a program with a token is here. Pure. */
import type { PeerView } from '@roundhouse/backend-types'
import type { StatusWords } from '../sessions/describe-status'

/** One without a connection speaks by requests: nobody knows whether it still runs. */
export function programWords(peer: Pick<PeerView, 'state' | 'connected'> | null): StatusWords {
  if (peer?.state !== 'here') return { label: 'Silent', tone: 'quiet' }
  return peer.connected ? { label: 'Connected', tone: 'done' } : { label: 'Not connected', tone: 'quiet' }
}
