/** What a machine refuses although somebody with every right at the hub asks for it: real folders, real files, no process. */
import { existsSync, mkdirSync, readFileSync, realpathSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { CommandView, SessionSettings } from '@roundhouse/backend-types'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventsOf, logOf, readAll, tableOf } from '../support/accounts/ledger'
import { until } from '../support/common/until'
import { processesOf } from '../support/processes/processes'
import { type Rig, startRig } from '../support/rigs/rig'
import { RawWeb } from '../support/wire/raw-web'

let rig: Rig
let root: string
let agentId: string

beforeAll(async () => {
  rig = await startRig()
  root = realpathSync(rig.system.workDir)
  agentId = (await rig.rest.agents()).items[0]?.agentId ?? ''
})
afterAll(() => rig.dispose())

const inRoot = (...parts: string[]) => path.join(root, ...parts)
const events = (sessionId: string) => eventsOf(logOf(rig.system.agent.sessionFolder(sessionId)))
const settled = (sessionId: string, which: (command: CommandView) => boolean) =>
  until('the command to be refused', async () => {
    const { commands } = (await rig.rest.snapshot(sessionId)).session
    return commands.find((command) => which(command) && command.state === 'refused')
  })

/** The code with which the machine refuses to start such a session; nothing of it runs. */
async function refusal(settings: Partial<SessionSettings>): Promise<unknown> {
  const { sessionId } = await rig.rest.createSession({
    agentId,
    settings: { backend: 'scripted', workDir: root, ...settings },
    prompt: 'Go.',
  })
  const { error } = await settled(sessionId, ({ kind }) => kind === 'session.create')
  expect(processesOf(sessionId)).toEqual([])
  expect(existsSync(rig.system.agent.sessionFolder(sessionId))).toBe(false)
  return error?.code
}

/** A session that waits for an answer to this call. */
async function asking(tool: string, input: object, settings: Partial<SessionSettings> = {}) {
  const sessionId = await rig.begin([{ tool, input }, { text: 'Done.' }], settings)
  const request = async (other?: string) =>
    until('the request', async () => {
      const found = (await rig.rest.snapshot(sessionId)).session.requests.find(({ ask }) => ask.requestId !== other)
      return found?.ask
    })
  return { sessionId, request, ask: await request() }
}
const outcomes = (sessionId: string) =>
  events(sessionId).flatMap((event) => (event.kind === 'permission_resolved' ? [event.outcome] : []))

describe('a session', () => {
  it('[T61] [A18] is not started in a folder that is not allowed, whatever it is called', async () => {
    symlinkSync('/etc', inRoot('elsewhere'))
    mkdirSync(inRoot('inside'))
    const folders = [
      '/etc',
      `${root}/../..`,
      `${root}/inside/../../..`,
      inRoot('elsewhere'),
      root.toUpperCase(),
      'inside',
      '~',
      '\\\\server\\share',
      'CON',
      `${root}; touch ${inRoot('touched')}`,
      `${root}\u0000/etc`,
    ]
    const codes = await Promise.all(folders.map((workDir) => refusal({ workDir }).catch((error) => error.code)))
    expect(codes.filter((code) => code !== 'PATH_NOT_ALLOWED' && code !== 'INVALID_ARGUMENT')).toEqual([])
    expect(codes.slice(0, 5)).toEqual(Array(5).fill('PATH_NOT_ALLOWED'))
    expect(existsSync(inRoot('touched'))).toBe(false)
  })

  it('[T62] [A4] takes no text for a name that a shell or a program would read as more', async () => {
    const odd = ['x;id', '$(id)', '`id`', 'a\nb', '-p', '--dangerously-skip-permissions']
    // The hub knows all modes of this program, and refuses the others at the request (CAP-3).
    const given = { model: 'INVALID_ARGUMENT', mode: 'UNSUPPORTED' }
    for (const [field, code] of Object.entries(given)) {
      const codes = await Promise.all(odd.map((value) => refusal({ [field]: value }).catch((error) => error.code)))
      expect([field, ...codes]).toEqual([field, ...odd.map(() => code)])
    }
  })

  it('[A41] [A44] brings neither servers nor environment that its machine did not allow', async () => {
    writeFileSync(inRoot('mcp.json'), '{}')
    expect(await refusal({ mcpConfigPath: inRoot('mcp.json') })).toBe('POLICY_DENIED')
    for (const name of ['LD_PRELOAD', 'NODE_OPTIONS', 'PATH', 'GIT_SSH_COMMAND'])
      expect([name, await refusal({ env: { [name]: '/tmp/x' } })]).toEqual([name, 'POLICY_DENIED'])
    for (const name of ['LC_X;id', 'LC_X=1', 'LC_$(id)', 'LC_X\n'])
      await expect(refusal({ env: { [name]: 'x' } })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
  })
})

describe('a prompt', () => {
  it('[T65] is no option and no command of the program, and is refused where it is too long', async () => {
    const sessionId = await rig.begin([{ text: 'Ready.' }])
    await rig.agree(sessionId)
    const texts = ['--version', '-p x', '/exit', '$(id) `id` ; id'].map((odd) => `${odd} SCRIPT: [{"text":"Done."}]`)
    for (const [index, text] of texts.entries()) {
      await rig.rest.prompt(sessionId, { promptId: `odd-${index}`, text })
      await rig.agree(sessionId)
    }
    const said = events(sessionId).flatMap((event) => (event.kind === 'user_message' ? [event.text] : []))
    expect(said.slice(1)).toEqual(texts)
    const web = new RawWeb(rig.system.hub)
    const headers = { login: await web.asOwner(), 'idempotency-key': 'a-long-prompt' }
    const send = (bytes: number) =>
      web.post(`/api/v1/sessions/${sessionId}/prompts`, { promptId: 'long', text: 'x'.repeat(bytes) }, headers)
    expect(await send(2 << 20)).toMatchObject({ status: 413, code: 'PROMPT_TOO_LARGE' })
    // Judged by what it says of its length: the hub hangs up on a body that it does not read.
    const head = `POST /api/v1/sessions/${sessionId}/prompts HTTP/1.1\r\nhost: localhost:${web.hub.port}\r\n`
    expect(await web.bytes(`${head}content-length: ${10 << 20}\r\n\r\n`)).toMatch(/^HTTP\/1\.1 413 /)
  })
})

describe('an answer', () => {
  it('[A23] [PERM-2.22] is for exactly what was shown, to the last blank, and for nothing near it', async () => {
    const command = 'printf "a  b " > exact.txt '
    const { sessionId, ask } = await asking('Bash', { command })
    expect(ask.input).toEqual({ command })
    const near = rig.rest.decide(ask.requestId, { decision: 'allow', digest: `${ask.digest}0` })
    await expect(near).rejects.toMatchObject({ code: 'DIGEST_MISMATCH' })
    expect(existsSync(inRoot('exact.txt'))).toBe(false)
    await rig.allow(ask)
    await rig.agree(sessionId)
    expect([outcomes(sessionId), readFileSync(inRoot('exact.txt'), 'utf8')]).toEqual([['applied'], 'a  b '])
  })

  it('[A26] [T39] does not hold for a script that was changed meanwhile', async () => {
    writeFileSync(inRoot('script.sh'), 'harmless')
    const { sessionId, ask, request } = await asking('Bash', { command: 'cat script.sh > copied.txt' })
    writeFileSync(inRoot('script.sh'), 'harmful')
    await rig.allow(ask)
    const again = await request(ask.requestId)
    expect([existsSync(inRoot('copied.txt')), again.digest === ask.digest]).toEqual([false, false])
    await rig.rest.decide(again.requestId, { decision: 'deny', digest: again.digest })
    await rig.agree(sessionId)
    expect([outcomes(sessionId), existsSync(inRoot('copied.txt'))]).toEqual([['superseded', 'applied'], false])
  })

  it('[A25] does not hold for a folder that was turned elsewhere meanwhile', async () => {
    for (const name of ['shown', 'other']) mkdirSync(inRoot(name))
    symlinkSync(inRoot('shown'), inRoot('turned'))
    const { sessionId, ask, request } = await asking('Write', { file_path: inRoot('turned/x.txt'), content: 'x' })
    unlinkSync(inRoot('turned'))
    symlinkSync(inRoot('other'), inRoot('turned'))
    await rig.allow(ask)
    const again = await request(ask.requestId)
    expect(existsSync(inRoot('other/x.txt'))).toBe(false)
    await rig.rest.decide(again.requestId, { decision: 'deny', digest: again.digest })
    await rig.agree(sessionId)
    expect(outcomes(sessionId)).toEqual(['superseded', 'applied'])
  })
})

describe('what a program prints', () => {
  it('[T85] has its secrets taken out before it is written anywhere', async () => {
    // Put together here, so that no scanner takes this file for a leak.
    const secrets = [`ghp_${'a1B2'.repeat(9)}`, `sk-ant-${'api03-xYz9'.repeat(3)}`, 'correct-horse-battery-staple']
    const text = `${secrets[0]} and ${secrets[1]}\nDB_PASSWORD=${secrets[2]}`
    const sessionId = await rig.begin([{ tool: 'Read', input: { file_path: '.env' }, output: text }, { text }])
    await until('the turn to end', () => events(sessionId).some(({ kind }) => kind === 'turn_completed'))
    const { hub, agent } = rig.system
    const last = events(sessionId).length
    await until('the hub to have it all', () => tableOf(hub.dataDir, sessionId).length >= last)
    // The person's own words, which hold the script, are not the program's.
    const said = (rows: Array<{ body: string }>) => rows.flatMap(({ body }) => (/SCRIPT/.test(body) ? [] : body)).join()
    const everywhere = {
      log: said(logOf(agent.sessionFolder(sessionId))),
      table: said(tableOf(hub.dataDir, sessionId)),
      pages: said(await readAll(rig.rest, sessionId)),
      hub: hub.output,
      agent: agent.output,
    }
    for (const [place, held] of Object.entries(everywhere)) {
      for (const secret of secrets) expect([place, held.includes(secret)]).toEqual([place, false])
    }
    expect(everywhere.log).toContain('[redacted:github-token]')
    expect(everywhere.log).toContain('[redacted:assignment]')
  })
})

describe("the machine's own word", () => {
  it('[A42] forbids a path by where it really lies, and nobody is asked', async () => {
    mkdirSync(inRoot('secret'))
    symlinkSync(inRoot('secret'), inRoot('way-in'))
    const { agent, around } = rig.system
    agent.writePolicy({
      roots: [around.workDir],
      envAllow: around.envAllow,
      backends: { scripted: {} },
      denyPaths: [inRoot('secret')],
    })
    const sessionId = await rig.begin([
      { tool: 'Write', input: { file_path: inRoot('way-in/x.txt'), content: 'x' } },
      { text: 'Done.' },
    ])
    await rig.agree(sessionId)
    expect([outcomes(sessionId), existsSync(inRoot('secret/x.txt'))]).toEqual([['refused'], false])
  })
})
