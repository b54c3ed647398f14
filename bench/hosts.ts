/**
 * The resident memory of a session host, at rest after one turn, by the language of its program: with printing programs that say the
 * same few words, and with the real ones where they are installed. Each is the median of some sessions. Prints one line of JSON.
 */
import { until } from '../e2e/support/common/until'
import { type BackendKind, missingReason } from '../e2e/support/processes/backends'
import { type System, startSystem } from '../e2e/support/processes/system'
import { pssMb, rssMb } from './lib/machine.mjs'
import { withPrinters } from './lib/printers'
import { median, sleep } from './lib/util.mjs'

const SESSIONS = 3
const REST_MS = 4_000
/** The first start of a real program takes long on a busy machine. */
const TURN_LIMIT_MS = 300_000

const hello = 'Please. SCRIPT: [{"text":"Hello."}]'

async function hostsOf(system: System, backend: string, prompt: string) {
  const client = await system.hub.client()
  try {
    const { rest } = client
    const agentId = (await rest.agents()).items[0]?.agentId ?? ''
    const taken: Array<{ rss: number; pss: number }> = []
    for (let done = 0; done < SESSIONS; done++) {
      const settings = { backend, workDir: system.workDir }
      const { sessionId } = await rest.createSession({ agentId, settings, prompt })
      const ended = async () =>
        (await rest.snapshot(sessionId, 50)).events.some(({ body }) => JSON.parse(body).kind === 'turn_completed')
      await until(`the turn of ${backend}`, ended, TURN_LIMIT_MS)
      await sleep(REST_MS)
      const pid = system.agent.hostPid(sessionId) ?? 0
      taken.push({ rss: rssMb(pid), pss: pssMb(pid) })
    }
    return { rssMb: median(taken.map(({ rss }) => rss)), pssMb: median(taken.map(({ pss }) => pss)) }
  } finally {
    client.close()
  }
}

/** A program that cannot be measured says why. */
const tried = (work: () => Promise<object>) => work().catch((error: unknown) => ({ missing: String(error) }))

async function real(kind: BackendKind): Promise<object> {
  const missing = await missingReason(kind)
  if (missing !== null) return { missing }
  const system = await startSystem(kind)
  return hostsOf(system, kind, hello).finally(() => system.dispose())
}

async function printers(): Promise<object> {
  const system = await startSystem('scripted')
  try {
    await withPrinters(system)
    const prompt = 'print 10 0'
    return { claude: await hostsOf(system, 'claude', prompt), acp: await hostsOf(system, 'printer', prompt) }
  } finally {
    await system.dispose()
  }
}

const result: Record<string, object> = { printers: await tried(printers) }
for (const kind of ['claude', 'opencode', 'gemini'] as const) result[kind] = await tried(() => real(kind))
console.log(JSON.stringify(result))
process.exit()
