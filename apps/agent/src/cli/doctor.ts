/** `doctor`: checks what the agent needs, and says how to fix what is missing. */
import { existsSync } from 'node:fs'
import { type AgentManifestPayload, toCodedError } from '@roundhouse/backend-types'
import { type AgentHome, requireWritableHome } from '../files/agent-home'
import { requireSqlite } from '../files/require-sqlite'
import { SocketFolders } from '../files/socket-folders'
import { probeWrite } from '../files/write-durably'
import { askChallenge } from '../identity/challenge'
import { postJson } from '../identity/hub-http'
import { type Identity, readIdentity } from '../identity/identity-file'
import { PolicyStore } from '../policy/policy-store'
import { realRoots } from '../policy/real-roots'

interface Finding {
  good: boolean
  /** A backend that is missing is no fault of the machine. */
  matters: boolean
  text: string
}

const NODE_AT_LEAST = [20, 19] as const

export async function doctor(
  home: AgentHome,
  env: Record<string, string | undefined>,
  manifest: () => Promise<AgentManifestPayload>,
): Promise<{ text: string; healthy: boolean }> {
  const findings = [
    checkNode(process.versions.node),
    check(requireSqlite, 'SQLite is built for it.'),
    check(() => requireWritableHome(home, probeWrite), `The state folder ${home.home} can be written.`),
    check(() => new SocketFolders(home, env), 'A short, private folder for sockets exists.'),
    ...checkPolicy(home),
    ...(await checkHub(home)),
    ...(await manifest()).backends.map(({ label, installed, version, unavailableReason }) => ({
      good: installed,
      matters: false,
      text: installed
        ? `${label} ${version ?? ''} is installed.`
        : `${label}: ${unavailableReason ?? 'is not installed.'}`,
    })),
  ]
  const mark = ({ good, matters }: Finding) => (good ? 'ok ' : matters ? '!! ' : ' - ')
  const healthy = findings.every(({ good, matters }) => good || !matters)
  const end = healthy ? 'This machine is ready.' : 'Fix the lines marked !!.'
  return { text: [...findings.map((found) => `${mark(found)} ${found.text}`), end].join('\n'), healthy }
}

function checkNode(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const good = major > NODE_AT_LEAST[0] || (major === NODE_AT_LEAST[0] && minor >= NODE_AT_LEAST[1])
  return {
    good,
    matters: true,
    text: good ? `Node ${version}.` : `Node ${version} is too old; 20.19 or newer is required.`,
  }
}

function check(work: () => unknown, text: string): Finding {
  try {
    work()
    return { good: true, matters: true, text }
  } catch (error) {
    return { good: false, matters: true, text: toCodedError(error).message }
  }
}

function checkPolicy(home: AgentHome): Finding[] {
  const store = new PolicyStore(home.policyFile, home.home, realRoots)
  try {
    const { roots } = store.current()
    if (roots.length === 0) {
      return [{ good: false, matters: true, text: 'No folder is allowed yet: roundhouse-agent allow <folder>' }]
    }
    return roots.map((root) => {
      const good = existsSync(root)
      return {
        good,
        matters: true,
        text: good ? `Sessions may run in ${root}.` : `The allowed folder ${root} does not exist.`,
      }
    })
  } catch (error) {
    return [{ good: false, matters: true, text: toCodedError(error).message }]
  }
}

const KEY_DAYS = 90
const DAY_MS = 86_400_000

/** An old key is no fault; it is offered another. */
function checkKeyAge({ keyMadeAt }: Identity): Finding[] {
  const days = Math.floor((Date.now() - (keyMadeAt ?? Date.now())) / DAY_MS)
  if (days < KEY_DAYS) return []
  const text = `The key of this machine is ${days} days old. To replace it: roundhouse-agent rotate-key`
  return [{ good: false, matters: false, text }]
}

async function checkHub(home: AgentHome): Promise<Finding[]> {
  let identity: Identity | null
  try {
    identity = readIdentity(home.identityFile)
  } catch (error) {
    return [{ good: false, matters: true, text: toCodedError(error).message }]
  }
  if (!identity) return [{ good: false, matters: true, text: 'This machine has not joined a hub yet.' }]
  try {
    await askChallenge(postJson, identity.hubUrl, { publicKey: identity.hubPublicKey }, identity.agentId)
    const answers = { good: true, matters: true, text: `The hub ${identity.hubUrl} answers and has proved its key.` }
    return [answers, ...checkKeyAge(identity)]
  } catch (error) {
    return [{ good: false, matters: true, text: toCodedError(error).message }]
  }
}
