import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { script } from '@roundhouse/adapter-scripted'
import type { PermissionAsk } from '@roundhouse/backend-types'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ana, type HostView, HostWorld } from '../../testing/host-world'
import { variation } from '../../testing/variation'

let world: HostWorld

const writes = (file: string, content: string, times = 1) =>
  script([
    ...Array.from({ length: times }, () => ({ tool: 'Write', input: { file_path: file, content } })),
    { text: 'All done.' },
  ])

async function asked(host: HostView, prompt: string): Promise<PermissionAsk> {
  await host.client.command(world.events().length === 0 ? world.create({}, prompt) : world.prompt(prompt))
  return nextAsk(host)
}

async function nextAsk(host: HostView, not?: string): Promise<PermissionAsk> {
  const found = await host.until(() => host.state.requests.find(({ requestId }) => requestId !== not))
  await host.status('needs_you')
  return found
}

function decide(ask: PermissionAsk, rest: object) {
  const { requestId, procId, digest } = ask
  return world.command({ kind: 'permission.decide', requestId, procId, digest, decision: 'allow', ...rest })
}

describe('the permission requests of one program', () => {
  let host: HostView
  /** What the log had before the test. */
  let before = 0
  beforeAll(async () => {
    world = await HostWorld.create()
    host = await world.open()
    await host.run(world.create())
  })
  afterAll(() => world.dispose())
  beforeEach(() => {
    before = world.events().length
    rmSync(join(world.workDir, 'note.txt'), { force: true })
  })
  const of: typeof world.of = (kind) => {
    const earlier = world
      .events()
      .slice(0, before)
      .filter((event) => event.kind === kind).length
    return world.of(kind).slice(earlier)
  }

  it('[PERM-1.3] waits with its whole action, and is applied once by an allow', async () => {
    const ask = await asked(host, writes('note.txt', 'hello'))
    expect(ask).toMatchObject({
      toolName: 'Write',
      input: { file_path: 'note.txt', content: 'hello' },
      cwd: world.workDir,
      canEdit: true,
      sessionScope: { scope: { kind: 'exact' } },
      redactedSpans: 0,
    })
    expect(existsSync(join(world.workDir, 'note.txt'))).toBe(false)
    expect(await host.run(decide(ask, {}))).toEqual({ state: 'done' })
    await host.status('idle')
    expect(readFileSync(join(world.workDir, 'note.txt'), 'utf8')).toBe('hello')
    expect(of('permission_resolved')).toMatchObject([
      { requestId: ask.requestId, outcome: 'applied', decision: 'allow', by: ana, effectiveDigest: ask.digest },
    ])
    const again = await host.run(decide(ask, {}))
    expect(again).toMatchObject({ state: 'refused', error: { code: 'PERMISSION_ALREADY_DECIDED' } })
  })

  it('[PERM-2] a denial does not run it, and its reason reaches the backend', async () => {
    const ask = await asked(host, writes('note.txt', 'hello'))
    await host.run(decide(ask, { decision: 'deny', reason: 'Not on a Friday.' }))
    await host.status('idle')
    expect(existsSync(join(world.workDir, 'note.txt'))).toBe(false)
    expect(JSON.stringify(of('tool_result')[0]?.output)).toContain('Not on a Friday.')
    expect(of('permission_resolved')[0]).toMatchObject({ outcome: 'applied', decision: 'deny' })
  })

  it('an abort ends the turn', async () => {
    const ask = await asked(host, writes('note.txt', 'hello'))
    await host.run(decide(ask, { decision: 'abort' }))
    await host.status('idle')
    expect(of('turn_completed').map(({ reason }) => reason)).toEqual(['interrupted'])
  })

  it('[PERM-2.23] an edit runs instead, under its own digest', async () => {
    const ask = await asked(host, writes('note.txt', 'hello'))
    await host.run(decide(ask, { updatedInput: { file_path: 'note.txt', content: 'edited' } }))
    await host.status('idle')
    expect(readFileSync(join(world.workDir, 'note.txt'), 'utf8')).toBe('edited')
    const [resolved] = of('permission_resolved')
    expect(resolved).toMatchObject({
      outcome: 'applied',
      edited: true,
      digest: ask.digest,
      effectiveInput: { file_path: 'note.txt', content: 'edited' },
    })
    expect(resolved?.effectiveDigest).not.toBe(ask.digest)
  })

  it('[PERM-2.7] answers fill their own field of a question, and no other request takes any', async () => {
    const questions = [{ question: 'Which colour?' }]
    const ask = await asked(host, script([{ tool: 'AskUserQuestion', input: { questions } }, { text: 'Thanks.' }]))
    expect(ask.form?.fields).toEqual([{ kind: 'text', name: 'Which colour?', label: 'Which colour?', required: true }])
    const answers = { 'Which colour?': 'Red' }
    for (const wrong of [
      { answers: { questions: 'x' } },
      { answers, updatedInput: {} },
      { answers, decision: 'deny' },
    ]) {
      expect(await host.run(decide(ask, wrong))).toMatchObject({
        state: 'refused',
        error: { code: 'EDIT_NOT_ALLOWED' },
      })
    }
    expect(await host.run(decide(ask, { answers }))).toEqual({ state: 'done' })
    await host.status('idle')
    expect(of('tool_result')[0]?.output).toEqual(answers)
    expect(of('permission_resolved')[0]).toMatchObject({
      answered: true,
      effectiveInput: { questions, answers },
      digest: ask.digest,
    })
    expect(of('permission_resolved')[0]).not.toHaveProperty('edited')
    await host.client.command(world.prompt(writes('note.txt', 'hello')))
    const write = await nextAsk(host, ask.requestId)
    const answered = await host.run(decide(write, { answers: { content: 'chosen' } }))
    expect(answered).toMatchObject({ state: 'refused', error: { code: 'EDIT_NOT_ALLOWED' } })
    await host.run(decide(write, { decision: 'deny' }))
    await host.status('idle')
  })

  it('[PERM-2.16] what was asked for in secret stands in no answer that the log tells', async () => {
    const questions = [{ question: 'Which colour?' }, { question: 'Which word?', isSecret: true }]
    const ask = await asked(host, script([{ tool: 'AskUserQuestion', input: { questions } }, { text: 'Thanks.' }]))
    const answers = { 'Which colour?': 'Red', 'Which word?': 'xyzzy' }
    expect(await host.run(decide(ask, { answers }))).toEqual({ state: 'done' })
    await host.status('idle')
    expect(of('permission_resolved')[0]).toMatchObject({
      effectiveInput: { questions, answers: { ...answers, 'Which word?': '[redacted:answer]' } },
    })
    // The program has the answer itself.
    expect(of('tool_result')[0]?.output).toEqual(answers)
  })

  it('[PERM-2.23] [LOG-9] shows no secret, runs with it, and refuses an edit that touches it', async () => {
    const secret = `ghp_${'a1B2'.repeat(9)}`
    const ask = await asked(host, writes('note.txt', `token ${secret} end`))
    expect(ask).toMatchObject({
      input: { content: 'token [redacted:github-token#1] end' },
      redactedSpans: 1,
    })
    const touching = decide(ask, { updatedInput: { file_path: 'note.txt', content: 'token gone' } })
    expect(await host.run(touching)).toMatchObject({ state: 'refused', error: { code: 'EDIT_NOT_ALLOWED' } })
    const around = { file_path: 'note.txt', content: 'the token [redacted:github-token#1] stays' }
    expect(await host.run(decide(ask, { updatedInput: around }))).toEqual({ state: 'done' })
    await host.status('idle')
    expect(readFileSync(join(world.workDir, 'note.txt'), 'utf8')).toBe(`the token ${secret} stays`)
    expect(world.envelopes().some(({ body }) => body.includes(secret) && !body.includes('user_message'))).toBe(false)
  })

  it('[T39] [PERM-2.24] [PERM-2.28] a file of the command that changes between question and answer makes a new question', async () => {
    const source = join(world.workDir, 'source.txt')
    writeFileSync(source, 'harmless')
    const first = await asked(
      host,
      script([{ tool: 'Bash', input: { command: 'cat source.txt > out.txt' } }, { text: 'Ran.' }]),
    )
    expect(first.filesPinned).toBe(true)
    writeFileSync(source, 'evil')
    expect(await host.run(decide(first, {}))).toMatchObject({ state: 'refused', error: { code: 'DIGEST_MISMATCH' } })
    expect(existsSync(join(world.workDir, 'out.txt'))).toBe(false)
    const second = await nextAsk(host, first.requestId)
    expect(second.digest).not.toBe(first.digest)
    expect(of('permission_resolved')[0]).toMatchObject({
      outcome: 'superseded',
      refusedBy: 'digest',
      supersededBy: second.requestId,
    })
    await host.run(decide(second, {}))
    await host.status('idle')
    expect(readFileSync(join(world.workDir, 'out.txt'), 'utf8')).toBe('evil')
  })

  it('[PERM-2.22] a decision on another digest than the one that is asked runs nothing', async () => {
    const ask = await asked(host, writes('note.txt', 'hello'))
    const wrong = decide({ ...ask, digest: 'f'.repeat(64) }, {})
    expect(await host.run(wrong)).toMatchObject({ state: 'refused', error: { code: 'DIGEST_MISMATCH' } })
    expect(existsSync(join(world.workDir, 'note.txt'))).toBe(false)
    await host.run(world.command({ kind: 'turn.interrupt', turnId: ask.turnId ?? '' }))
    await host.until(() => host.state.turnId === undefined)
  })

  it('[PERM-6.1] [PERM-6.2] [T43] five at once are all listed and decided in any order', async () => {
    const tools = [1, 2, 3, 4, 5].map((n) => ({ name: 'Write', input: { file_path: `${n}.txt`, content: `${n}` } }))
    await host.client.command(world.prompt(script([{ tools }, { text: 'Done.' }])))
    await host.until(() => host.state.requests.length === 5)
    for (const ask of host.state.requests.toReversed())
      expect(await host.run(decide(ask, {}))).toEqual({ state: 'done' })
    await host.status('idle')
    expect([1, 2, 3, 4, 5].every((n) => existsSync(join(world.workDir, `${n}.txt`)))).toBe(true)
  })

  it('[PERM-1.13] is withdrawn when its turn is interrupted', async () => {
    const ask = await asked(host, writes('note.txt', 'hello'))
    await host.run(world.command({ kind: 'turn.interrupt', turnId: ask.turnId ?? '' }))
    await host.status('idle')
    expect(of('permission_resolved').map(({ outcome }) => outcome)).toEqual(['withdrawn'])
    expect(host.state.requests).toEqual([])
  })
})

describe('a permission request', () => {
  beforeEach(async () => {
    world = await HostWorld.create()
  })
  afterEach(() => world.dispose())

  it('[PERM-2.24] [A42] an edit is judged by the policy as what it would run', async () => {
    const secret = join(world.workDir, 'secret')
    mkdirSync(secret)
    const policy = { ...world.launch.policy, denyPaths: [secret], denyTools: [] }
    const host = await world.open({ policy })
    const ask = await asked(host, writes('note.txt', 'hello'))
    const edited = decide(ask, { updatedInput: { file_path: 'secret/note.txt', content: 'edited' } })
    expect(await host.run(edited)).toMatchObject({ state: 'refused', error: { code: 'POLICY_DENIED' } })
    await host.status('idle')
    expect(existsSync(join(secret, 'note.txt'))).toBe(false)
  })

  it('[PERM-2.4] [POL-1] a plan sets the mode, as far as the policy lets a session have it', async () => {
    const host = await world.open()
    const plan = script([{ tool: 'ExitPlanMode', input: { plan: 'Build it.' } }, { text: 'On it.' }])
    await host.client.command(world.create({ mode: 'plan' }, plan))
    const ask = await nextAsk(host)
    const bypass = await host.run(decide(ask, { mode: 'bypassPermissions' }))
    expect(bypass).toMatchObject({ state: 'refused', error: { code: 'POLICY_DENIED' } })
    expect(await host.run(decide(ask, { mode: 'acceptEdits' }))).toEqual({ state: 'done' })
    await host.status('idle')
    expect(world.of('session_configured')).toMatchObject([{ changes: { mode: 'acceptEdits' }, author: ana }])
  })

  it('[A26] [PERM-5] an active permission ends where another file would run, also one below a folder that the command goes to', async () => {
    mkdirSync(join(world.workDir, 'sub'))
    const source = join(world.workDir, 'sub/source.txt')
    writeFileSync(source, 'harmless')
    const host = await world.open()
    const command = { tool: 'Bash', input: { command: 'cd sub && cat source.txt' } }
    const first = await asked(host, script([command, { text: 'Once.' }]))
    await host.run(decide(first, { decision: 'allow_session' }))
    await host.status('idle')
    writeFileSync(source, 'evil')
    await host.client.command(world.prompt(script([command, { text: 'Twice.' }])))
    await nextAsk(host, first.requestId)
    expect(world.of('permission_resolved')).toHaveLength(1)
  })

  it('[PERM-5.4] [PERM-5.5] [PERM-5.7] a grant answers the same action by itself, says so, and covers nothing else', async () => {
    const host = await world.open()
    const ask = await asked(host, writes('note.txt', 'hello', 2))
    await host.run(decide(ask, { decision: 'allow_session' }))
    await host.status('idle')
    const [first, second] = world.of('permission_resolved')
    expect(first).toMatchObject({ outcome: 'applied', decision: 'allow_session', grant: { scope: { kind: 'exact' } } })
    expect(second).toMatchObject({ outcome: 'applied', decision: 'allow', by: { grantId: first?.grant?.grantId } })
    expect(world.of('permission_requested')).toHaveLength(2)
    await host.client.command(world.prompt(writes('note.txt', 'two')))
    const other = await nextAsk(host, ask.requestId)
    expect(other.input).toMatchObject({ content: 'two' })
  })

  it('[PERM-5.38] [PERM-5.37] a grant survives a planned stop, and ends by a word', async () => {
    const host = await world.open()
    const ask = await asked(host, writes('note.txt', 'hello'))
    await host.run(decide(ask, { decision: 'allow_session' }))
    await host.status('idle')
    await host.client.stop('idle')
    await host.gone()
    const again = await world.open()
    await again.run(world.prompt(writes('note.txt', 'hello')))
    const grantId = world.of('permission_resolved')[0]?.grant?.grantId ?? ''
    expect(world.of('permission_resolved').at(-1)).toMatchObject({ by: { grantId } })
    await again.run(world.command({ kind: 'grant.revoke', grantId }))
    await again.client.command(world.prompt(writes('note.txt', 'hello')))
    await again.status('needs_you')
    expect(world.of('grant_ended')).toMatchObject([{ grantId, why: 'revoked', author: ana }])
  })

  it('[PERM-4.4] [T37] one that nobody answers expires, which is not a refusal', async () => {
    const { policy } = world.launch
    const host = await world.open({ policy: { ...policy, askLifeMs: 50 } })
    const create = world.create({}, writes('note.txt', 'hello'))
    await host.run(create)
    expect(existsSync(join(world.workDir, 'note.txt'))).toBe(false)
    expect(world.of('permission_resolved').map(({ outcome, decision }) => [outcome, decision])).toEqual([
      ['expired', undefined],
    ])
    const [asked] = world.of('permission_requested')
    if (!asked) throw new Error('it was asked')
    const late = await host.run(decide(asked.ask, {}))
    expect(late).toMatchObject({ state: 'refused', error: { code: 'REQUEST_GONE' } })
  })

  it("[POL-1.5] the machine's own rule stands over a person's allow", async () => {
    const { policy } = world.launch
    const host = await world.open()
    const ask = await asked(host, writes('note.txt', 'hello'))
    await host.client.policy({ ...policy, denyTools: ['Write'] })
    expect(await host.run(decide(ask, {}))).toMatchObject({ state: 'refused', error: { code: 'POLICY_DENIED' } })
    await host.status('idle')
    expect(existsSync(join(world.workDir, 'note.txt'))).toBe(false)
    expect(world.of('permission_resolved')[0]).toMatchObject({ outcome: 'refused', refusedBy: 'policy' })
  })

  it('[POL-1.5] [A42] what the machine denies by name is refused without asking anybody, and the log says by which rule', async () => {
    const { policy } = world.launch
    symlinkSync(world.folder('secret'), join(world.workDir, 'link'))
    const host = await world.open({ policy: { ...policy, denyPaths: [world.folder('secret')] } })
    await host.run(world.create({}, writes('link/note.txt', 'hello')))
    expect(existsSync(join(world.workDir, 'link/note.txt'))).toBe(false)
    expect(world.of('permission_requested')).toHaveLength(1)
    expect(world.of('permission_resolved')).toMatchObject([
      { outcome: 'refused', decision: 'deny', refusedBy: 'policy', rule: 'denyPaths' },
    ])
    expect(host.states.flatMap(({ requests }) => requests)).toEqual([])
    const { requestId = '' } = world.of('permission_requested')[0]?.ask ?? {}
    const decision = { requestId, procId: 'p', digest: 'd', decision: 'allow' } as const
    const late = await host.run(world.command({ kind: 'permission.decide', ...decision }))
    expect(late).toMatchObject({ state: 'refused', error: { code: 'REQUEST_GONE' } })
  })

  variation('[PERM-3.1] [F24] survives the daemon that was told of it', async () => {
    const launched = world.start()
    const first = await world.attach(launched)
    const ask = await asked(first, writes('note.txt', 'hello'))
    first.client.close()
    const second = await world.attach(launched)
    expect(second.state.requests).toEqual([ask])
    expect(await second.run(decide(ask, {}))).toEqual({ state: 'done' })
  })
})
