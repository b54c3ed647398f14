/**
 * What a shell would act upon, put where people and hubs may put text: it stays text. Real processes, raw HTTP; whether
 * anything of it ran shows itself by a file.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import type { SessionSettings } from '@roundhouse/backend-types'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { eventsOf, logOf } from '../support/accounts/ledger'
import { until } from '../support/common/until'
import { type Rig, scriptOf, startRig } from '../support/rigs/rig'
import { wholeMatrix } from '../support/rigs/whole-matrix'
import { routeBodies, withEach } from '../support/wire/openapi-bodies'
import { RawWeb } from '../support/wire/raw-web'

let rig: Rig
let web: RawWeb
let login: string
let canary: string
/** Each on its own would do it. */
let tricks: string[]

beforeAll(async () => {
  rig = await startRig()
  web = new RawWeb(rig.system.hub)
  login = await web.asOwner()
  canary = path.join(rig.folder, 'canary')
  const touch = `touch ${canary}`
  tricks = [
    `$(${touch})`,
    `\`${touch}\``,
    `;${touch};`,
    `|${touch}`,
    `&&${touch}`,
    `'; ${touch} #`,
    `"; ${touch} #`,
    `\n${touch}\n`,
  ]
})
afterEach(() => expect(existsSync(canary), 'something ran').toBe(false))
afterAll(() => rig.dispose())

const all = () => `x${tricks.join(' ')}`
const machine = async () => {
  const [one] = (await rig.rest.agents()).items
  if (!one) throw new Error('there is no machine')
  return one
}
let keys = 0
const send = (method: string, target: string, body?: unknown) =>
  web.ask(`/api/v1${target}`, {
    method,
    headers: { ...web.json, login, 'idempotency-key': `shell-characters-${keys++}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
const create = async (settings: object, more: object = {}) => {
  const { agentId } = await machine()
  const base = { backend: 'scripted', workDir: rig.system.workDir }
  return send('POST', '/sessions', { agentId, settings: { ...base, ...settings }, ...more })
}
/** What the log of a session holds, on the machine. */
const eventsAtHome = (sessionId: string) => {
  const folder = rig.system.agent.sessionFolder(sessionId)
  return existsSync(path.join(folder, 'log.db')) ? eventsOf(logOf(folder)) : []
}
const hasEnded = (sessionId: string) => eventsAtHome(sessionId).some(({ kind }) => kind === 'turn_completed')
/** What the machine said to the command that makes the session. */
async function verdictOf(sessionId: string): Promise<string> {
  const settled = await until('the machine to answer', async () => {
    const { commands, status } = (await rig.rest.snapshot(sessionId, 1)).session
    const made = commands.find(({ kind }) => kind === 'session.create')
    if (made?.state === 'refused') return made.error?.code ?? 'refused'
    return made === undefined || status.status !== 'waiting_for_agent' ? 'taken' : null
  })
  return settled
}

it('the tricks work where a shell reads them', () => {
  for (const trick of tricks) {
    const quote = /^['"]/.exec(trick)?.[0] ?? ''
    spawnSync('/bin/sh', ['-c', `echo ${quote}${trick}`])
    expect([trick, existsSync(canary)]).toEqual([trick, true])
    rmSync(canary)
  }
})

describe('characters of a shell', () => {
  it('[A3] [A4] [A9] [T62] in every text of every body that the hub takes are text, or refused in our words', async () => {
    const { agentId } = await machine()
    const sessionId = await rig.begin([{ text: 'here' }])
    const ids: Record<string, string> = { '{sessionId}': sessionId, '{agentId}': agentId }
    let asked = 0
    for (const { method, path: route, bodies } of await routeBodies(web, login)) {
      const target = route.replace('/api/v1', '').replace(/\{\w+\}/g, (name) => ids[name] ?? 'an-id')
      for (const sample of bodies) {
        const body = JSON.parse(JSON.stringify(sample), (name, value) => (name === 'agentId' ? agentId : value))
        for (const one of withEach(body, all())) {
          const { status, body: said } = await send(method, target, one.body)
          expect([method, route, one.at, status < 500 || said.includes('"code"')]).toEqual([
            method,
            route,
            one.at,
            true,
          ])
          expect([method, route, one.at, said.includes('INTERNAL')]).toEqual([method, route, one.at, false])
          asked += 1
        }
      }
    }
    console.log(`${asked} texts`)
    expect(asked).toBeGreaterThan(60)
    await rig.prompt(sessionId, [{ text: 'still here' }])
    await rig.agree(sessionId)
  })

  it('[A3] [A9] in the ids of every route lead to nothing', async () => {
    const document = JSON.parse((await send('GET', '/openapi.json')).body)
    const routes = Object.entries(document.paths as Record<string, object>)
    for (const [n, [route, methods]] of routes.entries()) {
      if (!route.includes('{')) continue
      // All in turn over the routes, two on each.
      const here = wholeMatrix ? tricks : tricks.filter((_, at) => at % 4 === n % 4)
      for (const trick of here) {
        const target = route.replace('/api/v1', '').replace(/\{\w+\}/g, encodeURIComponent(trick))
        for (const method of Object.keys(methods)) {
          const { status } = await send(method.toUpperCase(), target, method === 'get' ? undefined : {})
          expect([method, route, trick, status]).toEqual([method, route, trick, 404])
        }
      }
    }
  })

  /** What becomes of a text in each field of a session: said for every one, so that a new field cannot be forgotten. */
  const fields: Record<keyof SessionSettings, { value: (text: string) => unknown; gives: string }> = {
    backend: { value: (text) => text, gives: 'INVALID_ARGUMENT' },
    workDir: { value: (text) => `${rig.system.workDir}/${text}`, gives: 'INVALID_ARGUMENT' },
    model: { value: (text) => text, gives: 'INVALID_ARGUMENT' },
    // The hub knows what this program accepts (CAP-3).
    mode: { value: (text) => text, gives: 'UNSUPPORTED' },
    sandbox: { value: (text) => text, gives: '400' },
    thinking: { value: (text) => text, gives: 'UNSUPPORTED' },
    maxThinkingTokens: { value: (text) => text, gives: '400' },
    systemPrompt: { value: (text) => text, gives: 'taken' },
    roleId: { value: (text) => text.slice(0, 60), gives: '400' },
    useBrainCore: { value: (text) => text, gives: '400' },
    additionalDirs: { value: (text) => [`${rig.system.workDir}/${text}`], gives: 'INVALID_ARGUMENT' },
    allowedTools: { value: (text) => [text.slice(0, 190)], gives: 'INVALID_ARGUMENT' },
    disallowedTools: { value: (text) => [text.slice(0, 190)], gives: 'INVALID_ARGUMENT' },
    mcpConfigPath: { value: (text) => `${rig.system.workDir}/${text}`, gives: 'POLICY_DENIED' },
    maxOutputTokens: { value: (text) => text, gives: '400' },
    env: { value: (text) => ({ LANG: text }), gives: 'taken' },
    autoResume: { value: (text) => text, gives: '400' },
    permissionConfig: { value: (text) => ({ disallowPatterns: [text.slice(0, 190)] }), gives: 'INVALID_ARGUMENT' },
  }
  it.each(Object.entries(fields))(
    '[A3] [T62] in the %s of a session are text or refused, and start nothing',
    async (name, field) => {
      const short = ['model', 'mode', 'thinking'].includes(name)
      const made = await create({ [name]: field.value(short ? all().slice(0, 190) : all()) })
      if (made.status === 400) expect(field.gives).toBe('400')
      else if (made.status > 400) expect(JSON.parse(made.body).error.code).toBe(field.gives)
      else expect(await verdictOf(JSON.parse(made.body).sessionId)).toBe(field.gives)
    },
  )

  it('[A3] in a prompt, a title and a name arrive as they are', async () => {
    const title = all().slice(0, 200)
    const made = await create({}, { title, prompt: `${all()} ${scriptOf([{ text: all() }])}` })
    const { sessionId } = JSON.parse(made.body)
    await until('the turn to end', () => hasEnded(sessionId))
    const texts = eventsAtHome(sessionId).flatMap((event) => (event.kind === 'assistant_text' ? [event.text] : []))
    expect(texts).toEqual([all()])
    expect((await rig.rest.snapshot(sessionId)).session.title).toBe(title)
    const { agentId, name } = await machine()
    expect((await rig.rest.renameAgent(agentId, all().slice(0, 100))).name).toBe(all().slice(0, 100))
    await rig.rest.renameAgent(agentId, name)
  })
})

describe('paths', () => {
  const outside = [
    '..',
    '/',
    '/etc',
    '/etc/../etc',
    '~',
    '$HOME',
    'relative',
    'C:\\',
    '\\\\server\\share',
    '-rf',
    'a\0b',
    '%2e%2e',
  ]

  it('[A18] [T61] outside the roots are refused, however they are spelled', async () => {
    const { workDir } = rig.system
    symlinkSync('/etc', path.join(workDir, 'link'))
    const inside = [
      `${workDir}/..`,
      `${workDir}/../..`,
      `${workDir}/./../../etc`,
      `${workDir}/link`,
      `${workDir}x`,
      `${workDir}\0`,
    ]
    for (const asked of [...outside, ...inside]) {
      const made = await create({ workDir: asked })
      const gives = made.status === 400 ? made.code : await verdictOf(JSON.parse(made.body).sessionId)
      expect([asked, ['PATH_NOT_ALLOWED', 'INVALID_ARGUMENT'].includes(gives ?? '')]).toEqual([asked, true])
      const folders = await send(
        'GET',
        `/agents/${(await machine()).agentId}/folders?path=${encodeURIComponent(asked)}`,
      )
      expect([asked, folders.code]).toEqual([asked, 'PATH_NOT_ALLOWED'])
    }
  })

  it('[A18] [A4] of folders that are named like commands are folders: a session runs there, and nothing else does', async () => {
    const names = [tricks.filter((trick) => !trick.includes('\n')).join(' '), '-rf/*', "it's/$HOME"]
    const made: string[] = []
    for (const [i, name] of names.entries()) {
      const folder = path.join(rig.system.workDir, `n${i}`, ...name.split('/'))
      mkdirSync(folder, { recursive: true })
      made.push(folder)
    }
    for (const workDir of made) {
      const steps = [{ tool: 'Bash', input: { command: 'pwd' }, ask: false }]
      const { sessionId } = JSON.parse((await create({ workDir }, { prompt: scriptOf(steps) })).body)
      await until('the turn to end', () => hasEnded(sessionId))
      const outputs = eventsAtHome(sessionId).flatMap((event) =>
        event.kind === 'tool_result' ? [JSON.stringify(event.output)] : [],
      )
      expect([workDir, outputs.join().includes(JSON.stringify(workDir).slice(1, -1))]).toEqual([workDir, true])
      await rig.rest.stop(sessionId)
    }
  })
})

describe('a standing permission', () => {
  it('[A28] [PERM-5.7] covers the exact action that was shown: no abbreviation, no pattern, nothing behind it', async () => {
    const exact = 'echo allowed --force'
    const others = [
      'echo allowed',
      'echo allowed --forc',
      'echo allowed --force ',
      'echo allowed  --force',
      'ECHO allowed --force',
    ]
    const behind = [
      'echo allowed --force; echo b',
      'echo allowed --force && echo b',
      'echo allowed --force\necho b',
      'echo *',
      `echo allowed --force $(${tricks[0]})`,
    ]
    const commands = [exact, exact, ...others, ...behind, exact]
    const steps = commands.map((command) => ({ tool: 'Bash', input: { command } }))
    const sessionId = await rig.begin(steps)
    const commandOf = new Map<string, unknown>()
    for (let asked = 0; ; asked += 1) {
      const next = await until('a question or the end', async () => {
        const { session } = await rig.rest.snapshot(sessionId, 1)
        const open = session.requests.find(({ decision, outcome }) => !decision && outcome === 'open')
        return open ?? (hasEnded(sessionId) ? 'end' : null)
      })
      if (next === 'end') break
      const { requestId, digest } = next.ask
      const decision = asked === 0 ? 'allow_session' : 'deny'
      const answered = await send('POST', `/permissions/${requestId}/decision`, { decision, digest })
      // What the permission covers is answered by the machine, and may be seen for a moment before that is known here.
      if (answered.code !== 'REQUEST_GONE') expect([answered.status, answered.body]).toEqual([200, answered.body])
    }
    const decided = eventsAtHome(sessionId).flatMap((event) => {
      if (event.kind === 'permission_requested') commandOf.set(event.ask.requestId, event.ask.input)
      if (event.kind !== 'permission_resolved' || !event.by || !('userId' in event.by)) return []
      return [(commandOf.get(event.requestId) as { command: string }).command]
    })
    expect(decided).toEqual([exact, ...others, ...behind])
    expect((await rig.rest.snapshot(sessionId)).session.grants.map(({ scope }) => scope.kind)).toEqual(['exact'])
  })
})
