import type { HostState } from '@roundhouse/backend-types'

/** What a session host says of itself when nothing is to do. */
export const idleState = {
  sessionId: 's1',
  leaseToken: 1,
  rev: 1,
  atSeq: 0,
  status: { status: 'idle' },
  queue: [],
  queueHeld: false,
  requests: [],
  openBlocks: [],
} satisfies HostState
