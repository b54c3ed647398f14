/** The bridge on the real Claude Code: the document's own client, and the dialogues of a session, recorded beside this file. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { missingReason } from '../support/processes/backends'
import { agentMain, type BridgeClient, BridgeRig } from '../support/rigs/bridge-rig'
import { dialogueOf } from '../support/rigs/dialogue'

const missing = await missingReason('claude')
const script = (steps: object[], text = 'Please.') => `${text} SCRIPT: ${JSON.stringify(steps)}`
const bash = (command: string) => ({ tool: 'Bash', input: { command } })
const read = (file: string) => ({ tool: 'Read', input: { file_path: file } })

describe.skipIf(missing !== null)('the document', () => {
  it('serves the test client of the document, unchanged', async () => {
    const rig = await BridgeRig.start()
    const folder = path.join(rig.workDir, 'backend-node')
    mkdirSync(path.join(folder, 'dist'), { recursive: true })
    mkdirSync(path.join(folder, 'test'))
    const starter = `import { spawn } from 'node:child_process'
const bridge = spawn(process.execPath, [${JSON.stringify(agentMain)}, 'bridge'], { stdio: 'inherit' })
bridge.on('exit', (code) => process.exit(code ?? 1))
process.on('SIGTERM', () => bridge.kill('SIGTERM'))
`
    writeFileSync(path.join(folder, 'package.json'), '{ "type": "commonjs" }')
    writeFileSync(path.join(folder, 'dist', 'package.json'), '{ "type": "module" }')
    writeFileSync(path.join(folder, 'dist', 'index.js'), starter)
    const source = path.join(import.meta.dirname, 'bridge-client/test-client.cjs')
    writeFileSync(path.join(folder, 'test', 'test-client.js'), readFileSync(source))
    const client = spawn(process.execPath, ['test/test-client.js'], { cwd: folder, env: rig.env, stdio: 'pipe' })
    const seen: string[] = []
    try {
      for await (const line of createInterface({ input: client.stdout })) {
        seen.push(line)
        if (line.includes('"type": "result"')) break
      }
    } finally {
      client.kill('SIGINT')
      await once(client, 'exit')
    }
    const text = seen.join('\n')
    expect(text).toContain('>>> {"type":"session.create","id":"test-1"')
    expect(text).toContain('"type": "session.created"')
    expect(text).toContain('"id": "test-1"')
    expect(text).toMatch(/"model": "claude-sonnet-/)
    await rig.dispose()
  })
})

describe.skipIf(missing !== null)(`the bridge${missing === null ? '' : ` (${missing})`}`, () => {
  let rig: BridgeRig
  let bridge: BridgeClient
  beforeAll(async () => {
    rig = await BridgeRig.start()
    bridge = rig.open()
  })
  afterAll(() => rig.dispose())

  const recorded = (name: string, from: number) =>
    expect(dialogueOf(bridge.said.slice(from), rig.workDir)).toMatchFileSnapshot(`dialogues/${name}.txt`)
  const inWork = (name: string) => path.join(rig.workDir, name)

  it('asks the client about a tool; an allow without updated_input runs the call as it was asked for', async () => {
    const from = bridge.said.length
    const session = await bridge.create(rig.workDir, script([bash('echo one > one.txt'), { text: 'Done.' }]))
    const asked = await session.asked()
    expect(asked.payload).toMatchObject({ tool_name: 'Bash', tool_input: { command: 'echo one > one.txt' } })
    session.reply(asked, { behavior: 'allow' })
    await session.turns(1)
    expect(readFileSync(inWork('one.txt'), 'utf8')).toBe('one\n')
    await session.kill()
    await recorded('allow', from)
  })

  it('a denial reaches the model with its reason, and the turn goes on', async () => {
    const from = bridge.said.length
    const session = await bridge.create(rig.workDir, script([bash('echo no > no.txt'), { text: 'A pity.' }]))
    session.reply(await session.asked(), { behavior: 'deny', message: 'Not today.' })
    expect(await session.turns(1)).toMatchObject({ is_error: false, result: 'A pity.' })
    expect(session.toolResults()).toContain('Not today.')
    await session.kill()
    await recorded('deny', from)
  })

  it('a denial that interrupts ends the turn', async () => {
    const session = await bridge.create(rig.workDir, script([bash('echo no > no.txt'), { text: 'Never said.' }]))
    session.reply(await session.asked(), { behavior: 'deny', message: 'Stop.', interrupt: true })
    expect(await session.turns(1)).toMatchObject({
      subtype: 'error_during_execution',
      terminal_reason: 'aborted_tools',
    })
    await session.kill()
  })

  it('[LOG-9] an edited input runs letter for letter: nothing in it is taken for a secret on its way', async () => {
    const secret = ['sk-ant-', 'api03-', 'abcdefghijklmnopqrstuvwxyz'].join('')
    const write = { tool: 'Write', input: { file_path: inWork('key.txt'), content: `KEY=${secret}\n` } }
    const session = await bridge.create(rig.workDir, script([write, { text: 'Done.' }]))
    const asked = await session.asked()
    if (asked.payload.callback_type !== 'can_use_tool') throw new Error('no question about a tool')
    expect(asked.payload.suggestions).toEqual([expect.objectContaining({ type: 'setMode' })])
    const input = asked.payload.tool_input as Record<string, unknown>
    session.reply(asked, {
      behavior: 'allow',
      updated_input: { ...input, content: `${input.content}again: ${secret}\n` },
    })
    await session.turns(1)
    expect(readFileSync(inWork('key.txt'), 'utf8')).toBe(`KEY=${secret}\nagain: ${secret}\n`)
    await session.kill()
    expect(bridge.stderr).not.toContain(secret)
  })

  it('[PERM-10] is not asked about a command that only reads, nor about one that it allowed from now on', async () => {
    const rules = [
      {
        type: 'addRules',
        rules: [{ toolName: 'Bash', ruleContent: 'touch *' }],
        behavior: 'allow',
        destination: 'session',
      },
    ]
    const steps = [bash('ls'), bash('touch a.txt'), bash('touch b.txt'), { text: 'Done.' }]
    const session = await bridge.create(rig.workDir, script(steps))
    const asked = await session.asked()
    expect(asked.payload).toMatchObject({ tool_input: { command: 'touch a.txt' } })
    session.reply(asked, { behavior: 'allow', updated_permissions: rules })
    await session.turns(1)
    expect(bridge.of('callback.request').filter(({ session_id }) => session_id === session.id)).toHaveLength(1)
    expect(readFileSync(inWork('b.txt'), 'utf8')).toBe('')
    await session.kill()
  })

  it('a prompt that comes into a running turn waits for its end', async () => {
    const session = await bridge.create(rig.workDir, script([bash('touch c.txt'), { text: 'First.' }]))
    const asked = await session.asked()
    session.prompt(script([{ text: 'Second.' }]))
    session.reply(asked, { behavior: 'allow' })
    await session.turns(2)
    expect(session.results().map(({ result }) => result)).toEqual(['First.', 'Second.'])
    await session.kill()
  })

  it('an interrupt ends the turn, and the session goes on', async () => {
    const from = bridge.said.length
    const session = await bridge.create(rig.workDir, script([bash('echo > d.txt'), { text: 'Never said.' }]))
    const asked = await session.asked()
    expect(await session.interrupt()).toMatchObject({ type: 'session.interrupted', payload: {} })
    expect(await session.turns(1)).toMatchObject({ subtype: 'error_during_execution' })
    // The question went with its turn.
    session.reply(asked, { behavior: 'allow' })
    expect(await bridge.wait('the error', ({ type }) => type === 'error')).toMatchObject({
      id: asked.id,
      payload: { code: 'INVALID_MESSAGE', message: `Unknown callback ID: ${asked.id}` },
    })
    session.prompt(script([{ text: 'Here I am.' }]))
    expect(await session.turns(2)).toMatchObject({ result: 'Here I am.' })
    expect(await session.interrupt()).toMatchObject({ type: 'session.interrupted' })
    await session.kill()
    await recorded('interrupt', from)
  })

  it('hooks are called, and what they answer has its effect', async () => {
    const from = bridge.said.length
    writeFileSync(inWork('read-me.txt'), 'words')
    const steps = [
      bash('touch forbidden.txt'),
      bash('touch allowed.txt'),
      read(inWork('read-me.txt')),
      { text: 'Done.' },
    ]
    const hooks = { PreToolUse: [{ matcher: 'Bash' }], PostToolUse: [{ matcher: 'Read' }], UserPromptSubmit: [{}] }
    const session = await bridge.create(rig.workDir, script(steps), { hooks })
    const submitted = await session.asked(1)
    expect(submitted.payload).toMatchObject({ callback_type: 'hook', hook_event: 'UserPromptSubmit' })
    const context = { hookEventName: 'UserPromptSubmit', additionalContext: 'WORD-OF-THE-HOOK' }
    session.reply(submitted, { hookSpecificOutput: context })
    const deny = {
      hookEventName: 'PreToolUse',
      permissionDecision: 'deny',
      permissionDecisionReason: 'The hook says no.',
    }
    session.reply(await session.asked(2), { hookSpecificOutput: deny })
    // Allowed by the hook: nobody is asked again.
    const allow = { hookEventName: 'PreToolUse', permissionDecision: 'allow' }
    session.reply(await session.asked(3), { hookSpecificOutput: allow })
    const after = await session.asked(4)
    expect(after.payload).toMatchObject({ hook_event: 'PostToolUse', hook_input: { tool_name: 'Read' } })
    session.reply(after, {})
    await session.turns(1)
    expect(session.toolResults()).toContain('The hook says no.')
    expect(readFileSync(inWork('allowed.txt'), 'utf8')).toBe('')
    expect(JSON.stringify(rig.surroundings.asked().at(-1))).toContain('WORD-OF-THE-HOOK')
    expect(
      bridge
        .of('callback.request')
        .filter(({ session_id, payload }) => session_id === session.id && payload.callback_type !== 'hook'),
    ).toEqual([])
    await session.kill()
    await recorded('hook', from)
  })
})

describe.skipIf(missing !== null)('a callback that nobody answers', () => {
  it('is denied if it asks for a permission, and lets a hook continue', async () => {
    const rig = await BridgeRig.start({ args: ['--callback-ms', '300'] })
    try {
      const bridge = rig.open()
      const steps = [bash('touch late.txt'), { text: 'Nobody came.' }]
      const session = await bridge.create(rig.workDir, script(steps), { hooks: { PreToolUse: [{}] } })
      expect(await session.turns(1)).toMatchObject({ result: 'Nobody came.' })
      expect(bridge.of('callback.request').map(({ payload }) => payload.callback_type)).toEqual([
        'hook',
        'can_use_tool',
      ])
      expect(session.toolResults()).toContain('Permission request timed out')
      const late = await session.asked(2)
      session.reply(late, { behavior: 'allow' })
      expect(await bridge.wait('the error', ({ type }) => type === 'error')).toMatchObject({
        id: late.id,
        session_id: session.id,
        payload: { code: 'INVALID_MESSAGE' },
      })
      await session.kill()
      await expect(dialogueOf(bridge.said, rig.workDir)).toMatchFileSnapshot('dialogues/time-out.txt')
    } finally {
      await rig.dispose()
    }
  })
})
