/**
 * `allow`: adds a folder to the policy. Two calls at the same time run one after the other, so that both folders are added.
 */
import { CodedError } from '@roundhouse/backend-types'
import { tryStateLock } from '../daemon/home/state-lock'
import { type AgentHome, requireWritableHome } from '../files/agent-home'
import { probeWrite } from '../files/write-durably'
import { PolicyStore } from '../policy/policy-store'
import { allowFolder, realRoots } from '../policy/real-roots'

const PATIENCE_MS = 10_000

export function allow(home: AgentHome, folder: string): string {
  requireWritableHome(home, probeWrite)
  const lock = tryStateLock(home.policyLockFile, PATIENCE_MS)
  if (lock === null)
    throw new CodedError('ALREADY_RUNNING', 'Another command is changing the policy of this machine. Try again.')
  try {
    const { root, added } = allowFolder(new PolicyStore(home.policyFile, home.home, realRoots), home.home, folder)
    return added ? `Sessions may now run in ${root} and below.` : `${root} was allowed already.`
  } finally {
    lock.release()
  }
}
