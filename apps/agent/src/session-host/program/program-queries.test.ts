import { script } from '@roundhouse/adapter-scripted'
import { type BackendAdapter, QueryAnswer, queryLimits, type ReadQuery } from '@roundhouse/backend-types'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createRedactor } from '../../redact/redactor'
import { HostWorld } from '../../testing/host-world'
import { fittingAnswer } from './fitting-query-answer'
import { ProgramQueries } from './program-queries'
import type { RunningBackend } from './program-runner'

const running = (query: BackendAdapter['query']) => ({ adapter: { query }, process: {} }) as unknown as RunningBackend
const redact = createRedactor(['hunter2-hunter2'])

describe('a question to the program', () => {
  it('[CMD-11.8] is asked once, however many wait for its answer, and anew behind it', async () => {
    const asked: string[] = []
    const answers: Array<(value: unknown) => void> = []
    const program = running((_process, method) => {
      asked.push(method)
      return new Promise((resolve) => answers.push(resolve))
    })
    const queries = new ProgramQueries({ running: () => program, redact })
    const both = [queries.ask('supportedModels'), queries.ask('supportedModels')]
    const other = queries.ask('accountInfo')
    await Promise.resolve()
    expect(asked).toEqual(['supportedModels', 'accountInfo'])
    for (const answer of answers) answer([{ value: 'm' }])
    expect(await Promise.all(both)).toEqual(Array(2).fill({ method: 'supportedModels', result: [{ value: 'm' }] }))
    expect(await other).toEqual({ method: 'accountInfo', result: {} })
    queries.ask('supportedModels').catch(() => {})
    await Promise.resolve()
    expect(asked).toHaveLength(3)
  })

  it('[CMD-11.8] that the program leaves open ends', async () => {
    const queries = new ProgramQueries({ running: () => running(() => new Promise(() => {})), redact, limitMs: 1 })
    await expect(queries.ask('accountInfo')).rejects.toMatchObject({ code: 'QUESTION_TIMEOUT' })
  })

  it('[CMD-11.2] is refused by its method where the program takes none', async () => {
    const queries = new ProgramQueries({ running: () => running(undefined), redact })
    const refused = { code: 'UNSUPPORTED', details: { method: 'accountInfo' } }
    await expect(queries.ask('accountInfo')).rejects.toMatchObject(refused)
  })

  it('[CMD-11.9] is answered without secrets, and without the configuration of servers', async () => {
    const told = [
      {
        name: 'sums',
        status: 'failed',
        error: 'hunter2-hunter2 was refused',
        config: { command: 'sums', env: { TOKEN: 'hunter2-hunter2' } },
      },
    ]
    const queries = new ProgramQueries({ running: () => running(async () => told), redact })
    const { result } = await queries.ask('mcpServerStatus')
    expect(result).toEqual([{ name: 'sums', status: 'failed', error: expect.stringMatching(/^\[.*\] was refused$/) }])
  })
})

describe('[CMD-11.9] an answer fits the contract', () => {
  const long = 'x'.repeat(5_000)
  const many = (entry: object) => Array.from({ length: 1_000 }, (_, n) => ({ ...entry, name: `n${n}`, value: `v${n}` }))
  const tools = Array.from({ length: 500 }, (_, n) => ({ name: `t${n}`, description: long }))
  const strange = [null, 7, 'text', {}, { name: '', value: '' }, { name: 7 }]
  const told: Array<[ReadQuery, unknown]> = [
    [
      'supportedModels',
      [...strange, ...many({ displayName: long, description: long, supportedEffortLevels: [1, 'low'] })],
    ],
    ['supportedCommands', [...strange, ...many({ description: long, argumentHint: long, aliases: ['', 'a', long] })]],
    ['mcpServerStatus', [...strange, ...many({ status: 1, error: long, serverInfo: { name: 5 }, tools })]],
    ['accountInfo', { email: long, organization: 5, extra: long }],
  ]
  it.each([...told, ...told.map(([method]) => [method, 'no list'] as const)])(
    '%s, whatever the program says',
    (method, raw) => {
      const answer = fittingAnswer(method, raw)
      expect(QueryAnswer.parse(answer)).toEqual(answer)
      expect(JSON.stringify(answer).length).toBeLessThanOrEqual(300_000)
    },
  )

  it('with as much of it as there is room for', () => {
    const { result } = fittingAnswer('supportedModels', many({}))
    expect(result).toHaveLength(queryLimits.models)
    expect(fittingAnswer('mcpServerStatus', many({ tools })).result).not.toHaveLength(0)
  })
})

describe('a session', () => {
  let world: HostWorld
  beforeEach(async () => {
    world = await HostWorld.create()
  })
  afterEach(() => world.dispose())

  it('[CMD-11.7] answers while its program runs, and starts none to answer', async () => {
    const host = await world.open()
    await host.run(world.create())
    await expect(host.client.query('supportedModels')).rejects.toMatchObject({ code: 'NOT_RUNNING' })
    await host.run(world.prompt(script([{ text: 'Hello.' }])))
    const { result } = await host.client.query('supportedModels')
    expect(result).toContainEqual(expect.objectContaining({ value: 'scripted-small' }))
    await host.run(world.command({ kind: 'process.end' }))
    await expect(host.client.query('accountInfo')).rejects.toMatchObject({ code: 'NOT_RUNNING' })
    expect(world.of('session_started')).toHaveLength(1)
  })

  it('[CMD-11.2] refuses changes that its program cannot make, and keeps its settings', async () => {
    const host = await world.open()
    await host.run(world.create())
    const refused = (method: string) => ({ state: 'refused', error: { code: 'UNSUPPORTED', details: { method } } })
    const tokens = world.command({ kind: 'session.configure', changes: { maxThinkingTokens: 1 } })
    expect(await host.client.command(tokens)).toMatchObject(refused('setMaxThinkingTokens'))
    const rewind = world.command({ kind: 'files.rewind', promptId: 'p1' })
    expect(await host.client.command(rewind)).toMatchObject(refused('rewindFiles'))
    expect(world.kinds()).toEqual(['session_created'])
  })
})
