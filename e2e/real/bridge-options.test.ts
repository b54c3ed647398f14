/** Every option of the document on the real Claude Code, by what the program then asks its model for, or says of itself. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { writeMcpConfig } from '../../packages/adapter-testkit/src/real-bench'
import { missingReason } from '../support/processes/backends'
import { processesOf } from '../support/processes/processes'
import { type BridgeClient, type BridgedSession, BridgeRig } from '../support/rigs/bridge-rig'
import { dialogueOf, type Frame } from '../support/rigs/dialogue'
import { variation } from '../support/rigs/variation'

const missing = await missingReason('claude')
const script = (steps: object[], text = 'Please.') => `${text} SCRIPT: ${JSON.stringify(steps)}`
const bash = (command: string) => ({ tool: 'Bash', input: { command } })
const says = script([{ text: 'Hello.' }])

interface ModelCall {
  model: string
  system: unknown
  thinking?: { budget_tokens?: number }
  tools?: Array<{ name: string }>
}

describe.skipIf(missing !== null)(`the options of a session${missing === null ? '' : ` (${missing})`}`, () => {
  let rig: BridgeRig
  let bridge: BridgeClient
  let elsewhere: string
  beforeAll(async () => {
    rig = await BridgeRig.start()
    elsewhere = path.join(rig.home, 'elsewhere')
    mkdirSync(elsewhere)
    rig.writePolicy({ trustProjectConfig: true, roots: [rig.workDir, elsewhere] })
    bridge = rig.open()
  })
  afterAll(() => rig.dispose())

  /** A session that says one thing, with its first turn. */
  async function session(
    options: object,
    prompt = says,
  ): Promise<{ session: BridgedSession; init: Frame; result: Frame }> {
    const created = await bridge.create(rig.workDir, prompt, options)
    const result = await created.turns(1)
    return { session: created, init: created.frames.find(({ subtype }) => subtype === 'init') ?? {}, result }
  }
  const lastCall = () => rig.surroundings.asked().at(-1) as ModelCall

  it('model, permission_mode, disallowed_tools, betas and agents: the program says them of itself', async () => {
    const { session: made, init } = await session({
      model: 'haiku',
      permission_mode: 'acceptEdits',
      disallowed_tools: ['WebSearch'],
      betas: ['context-1m-2025-08-07'],
      agents: { counter: { description: 'counts things', prompt: 'Count.' } },
    })
    expect(init).toMatchObject({ permissionMode: 'acceptEdits', betas: ['context-1m-2025-08-07'] })
    expect(init.model).toMatch(/haiku/)
    expect(init.agents).toContain('counter')
    expect(init.tools).not.toContain('WebSearch')
    expect(made.frames.filter(({ type }) => type === 'stream_event')).toEqual([])
    await made.kill()
  })

  it('system_prompt: a text stands in the place of the program’s own, `append` behind it', async () => {
    const replaced = await session({ system_prompt: 'You are a parrot.' })
    expect(lastCall().system).toMatchObject([{}, {}, { text: 'You are a parrot.' }])
    await replaced.session.kill()
    const append = { type: 'preset', preset: 'claude_code', append: 'Say it twice.' }
    const appended = await session({ system_prompt: append })
    const system = JSON.stringify(lastCall().system)
    expect([system.length > 3_000, system.includes('Say it twice.')]).toEqual([true, true])
    await appended.session.kill()
  })

  it('allowed_tools: what they name runs unasked', async () => {
    const steps = [bash('touch allowed.txt'), { text: 'Done.' }]
    const { session: made } = await session({ allowed_tools: ['Bash(touch *)'] }, script(steps))
    expect(readFileSync(path.join(rig.workDir, 'allowed.txt'), 'utf8')).toBe('')
    expect(bridge.of('callback.request').filter(({ session_id }) => session_id === made.id)).toEqual([])
    await made.kill()
  })

  variation('max_turns and max_budget_usd end a turn', async () => {
    const steps = [bash('ls'), bash('pwd'), bash('ls'), { text: 'Never said.' }]
    const turns = await session({ max_turns: 1 }, script(steps))
    expect(turns.result).toMatchObject({ subtype: 'error_max_turns', is_error: true })
    await turns.session.kill()
    const budget = await session({ max_budget_usd: 0.000001 }, script(steps))
    expect(budget.result).toMatchObject({ subtype: 'error_max_budget_usd', is_error: true })
    await budget.session.kill()
  })

  it('folders, live text, thinking, structure and checkpoints: they have their effect in one turn', async () => {
    const words = path.join(elsewhere, 'words.txt')
    const draft = path.join(rig.workDir, 'draft.txt')
    writeFileSync(words, 'WORDS-ELSEWHERE')
    writeFileSync(draft, 'before\n')
    const steps = [
      { tool: 'Read', input: { file_path: words } },
      { tool: 'Read', input: { file_path: draft } },
      { tool: 'Write', input: { file_path: draft, content: 'after\n' } },
      { tool: 'StructuredOutput', input: { sum: 4 } },
      { text: 'Never said.' },
    ]
    const schema = { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] }
    const options = {
      model: 'claude-sonnet-4-5-20250929',
      permission_mode: 'acceptEdits',
      additional_directories: [elsewhere],
      include_partial_messages: true,
      max_thinking_tokens: 2_000,
      output_format: { type: 'json_schema', schema },
      enable_file_checkpointing: true,
    }
    const { session: made, result } = await session(options, script(steps))
    expect(bridge.of('callback.request').filter(({ session_id }) => session_id === made.id)).toEqual([])
    expect(made.toolResults()).toContain('WORDS-ELSEWHERE')
    expect(made.frames.filter(({ type }) => type === 'stream_event').length).toBeGreaterThan(3)
    expect(lastCall().thinking?.budget_tokens).toBeGreaterThan(1_000)
    expect(lastCall().thinking?.budget_tokens).toBeLessThanOrEqual(2_000)
    expect(result).toMatchObject({ structured_output: { sum: 4 } })
    expect(readFileSync(draft, 'utf8')).toBe('after\n')
    const prompt = made.frames.find(({ type, isReplay }) => type === 'user' && isReplay === true)
    expect(await made.query('rewindFiles', prompt?.uuid)).toEqual({ success: true, result: null })
    expect(readFileSync(draft, 'utf8')).toBe('before\n')
    expect(await made.query('rewindFiles', 'never')).toMatchObject({ success: false })
    await made.kill()
  })

  it('limits, another model and a sandbox are flags of the program, and a query changes how much is thought', async () => {
    const { session: made } = await session({
      model: 'claude-sonnet-4-5-20250929',
      max_turns: 7,
      max_budget_usd: 1.5,
      fallback_model: 'haiku',
      sandbox: { enabled: true },
    })
    const commands = processesOf(made.id).map(({ command }) => command)
    const program = commands.find((command) => command.includes('--input-format=stream-json'))
    for (const flag of [
      '--max-turns=7',
      '--max-budget-usd=1.5',
      '--fallback-model=haiku',
      '"sandbox":{"enabled":true}',
    ])
      expect(program).toContain(flag)
    expect(await made.query('setMaxThinkingTokens', 2_000)).toEqual({ success: true, result: null })
    made.prompt(says)
    await made.turns(2)
    expect(lastCall().thinking?.budget_tokens).toBeGreaterThan(1_000)
    expect(lastCall().thinking?.budget_tokens).toBeLessThanOrEqual(2_000)
    await made.kill()
  })

  it('mcp_servers: they start, and mcpServerStatus says so', async () => {
    const config = writeMcpConfig(rig.home, 'sums')
    const { mcpServers } = JSON.parse(readFileSync(config, 'utf8')) as { mcpServers: object }
    const { session: made, init } = await session({ mcp_servers: mcpServers })
    expect(init.tools).toContain('mcp__sums__add')
    expect(await made.query('mcpServerStatus')).toMatchObject({
      success: true,
      result: [expect.objectContaining({ name: 'sums', status: 'connected' })],
    })
    await made.kill()
  })

  it('setting_sources: the repository’s settings are loaded where they are named', async () => {
    const settings = path.join(rig.workDir, '.claude')
    mkdirSync(settings, { recursive: true })
    writeFileSync(path.join(settings, 'settings.json'), JSON.stringify({ permissions: { deny: ['WebFetch'] } }))
    const none = await session({})
    expect(none.init.tools).toContain('WebFetch')
    await none.session.kill()
    const named = await session({ setting_sources: ['user', 'project'] })
    expect(named.init.tools).not.toContain('WebFetch')
    await named.session.kill()
  })

  variation('fallback_model: answers where the model is overloaded', async () => {
    const steps = [{ error: 529, times: 6 }, { text: 'From the other one.' }]
    const { session: made } = await session({ model: 'sonnet', fallback_model: 'haiku' }, script([...steps]))
    expect(
      rig.surroundings
        .asked()
        .map((call) => (call as ModelCall).model)
        .some((model) => /haiku/.test(model)),
    ).toBe(true)
    await made.kill()
  })

  variation('sandbox: an object is the program’s own setting, and what is asked about stays asked about', async () => {
    const created = await bridge.create(rig.workDir, script([bash('touch boxed.txt'), { text: 'Done.' }]), {
      sandbox: { enabled: true, autoAllowBashIfSandboxed: true, enableWeakerNestedSandbox: true },
    })
    const asked = await created.asked()
    expect(asked.payload).toMatchObject({ tool_name: 'Bash', tool_input: { command: 'touch boxed.txt' } })
    created.reply(asked, { behavior: 'deny' })
    await created.turns(1)
    await created.kill()
    const refused = bridge.send({
      type: 'session.create',
      payload: { prompt: says, cwd: rig.workDir, options: { sandbox: 'full-access' } },
    })
    expect(await bridge.answer(refused)).toMatchObject({
      payload: { code: 'SESSION_CREATE_FAILED', details: { rule: 'maxSandbox' } },
    })
  })

  it('every query has its answer, and what nobody knows an error', async () => {
    const from = bridge.said.length
    const { session: made } = await session({})
    expect(await made.query('supportedModels')).toMatchObject({
      success: true,
      result: expect.arrayContaining([expect.objectContaining({ value: 'haiku', displayName: 'Haiku' })]),
    })
    expect(await made.query('supportedCommands')).toMatchObject({
      success: true,
      result: expect.arrayContaining([expect.objectContaining({ name: 'compact' })]),
    })
    expect(await made.query('accountInfo')).toMatchObject({
      success: true,
      result: { apiKeySource: 'ANTHROPIC_API_KEY' },
    })
    expect(await made.query('mcpServerStatus')).toEqual({ success: true, result: [] })
    const none = { success: true, result: null }
    expect(await made.query('setModel', 'haiku')).toEqual(none)
    expect(await made.query('setPermissionMode', 'plan')).toEqual(none)
    expect(await made.query('setMaxThinkingTokens', 2_000)).toEqual(none)
    expect(await made.query('setMaxThinkingTokens', null)).toEqual(none)
    expect(await made.query('setPermissionMode', 'bypassPermissions')).toMatchObject({ success: false })
    expect(await made.query('fly')).toEqual({ success: false, error: 'Unknown query method: fly' })
    made.prompt(says)
    await made.turns(2)
    expect(made.frames.filter(({ subtype }) => subtype === 'init').at(-1)).toMatchObject({
      model: expect.stringMatching(/haiku/),
      permissionMode: 'plan',
    })
    await made.kill()
    await expect(dialogueOf(bridge.said.slice(from), rig.workDir)).toMatchFileSnapshot('dialogues/queries.txt')
  })
})
