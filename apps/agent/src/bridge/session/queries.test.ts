import { type BackendAdapter, type BackendProcess, CodedError } from '@roundhouse/backend-types'
import { describe, expect, it } from 'vitest'
import { answerQuery, readQuery } from './queries'

describe('a query of the client', () => {
  it.each([
    ['setModel', ['opus'], { model: 'opus' }, { model: 'opus' }],
    ['setModel', [], { model: undefined }, { model: undefined }],
    ['setPermissionMode', ['plan'], { mode: 'plan' }, { mode: 'plan' }],
    ['setMaxThinkingTokens', [100], { maxThinkingTokens: 100 }, { maxThinkingTokens: 100 }],
    ['setMaxThinkingTokens', [null], { maxThinkingTokens: null }, { maxThinkingTokens: undefined }],
    ['rewindFiles', ['uuid'], { userMessageId: 'uuid' }, null],
    ['accountInfo', ['ignored'], {}, null],
  ])('%s %j names its arguments', (method, args, params, change) => {
    expect(readQuery(method, args)).toEqual({ method, params, change })
  })

  it.each([
    ['setPermissionMode', []],
    ['setModel', [7]],
    ['setMaxThinkingTokens', ['many']],
    ['setMaxThinkingTokens', []],
    ['rewindFiles', [null]],
    ['toString', []],
    ['fly', []],
  ])('%s %j is refused before anybody is asked', (method, args) => {
    expect(() => readQuery(method, args)).toThrow()
  })
})

describe('the answer to a query', () => {
  const process = {} as BackendProcess
  const commands = [{ name: 'compact', description: 'Summarize' }]
  const ask = (method: string, args: unknown[], adapter: Partial<BackendAdapter>) =>
    answerQuery(readQuery(method, args), { adapter: { type: 'x', ...adapter } as BackendAdapter, process, commands })
  const told: unknown[] = []
  const none = {
    query: async () => {
      throw new CodedError('UNSUPPORTED', 'no queries')
    },
  }

  it('is what the adapter says; what changes something answers nothing', async () => {
    const query: BackendAdapter['query'] = async (_process, method, params) => ({ method, params })
    expect(await ask('accountInfo', [], { query })).toEqual({ method: 'accountInfo', params: {} })
    expect(await ask('setModel', ['m'], { query })).toBeNull()
    expect(await ask('rewindFiles', ['u'], { query })).toBeNull()
  })

  it('of files that cannot be put back is a failure', async () => {
    const query: BackendAdapter['query'] = async () => ({ canRewind: false, error: 'No checkpoint.' })
    await expect(ask('rewindFiles', ['u'], { query })).rejects.toMatchObject({ message: 'No checkpoint.' })
  })

  it('comes from the contract where the adapter has none', async () => {
    const models = [{ code: 'm', label: 'M' }]
    const adapter = {
      ...none,
      getManifest: async () => ({ models }) as Awaited<ReturnType<BackendAdapter['getManifest']>>,
      configure: async (_process: BackendProcess, change: object) => {
        told.push(change)
        return []
      },
    }
    expect(await ask('supportedModels', [], adapter)).toEqual([{ value: 'm', displayName: 'M', description: '' }])
    expect(await ask('supportedCommands', [], adapter)).toEqual([
      { name: 'compact', description: 'Summarize', argumentHint: '' },
    ])
    expect(await ask('setModel', ['m'], adapter)).toBeNull()
    expect(await ask('setPermissionMode', ['plan'], adapter)).toBeNull()
    expect(told).toEqual([{ model: 'm' }, { mode: 'plan' }])
  })

  it('to setModel without a model goes back to the program’s own choice, by the name that this program has for it', async () => {
    const asked: unknown[] = []
    const query: BackendAdapter['query'] = async (_process, _method, params) => void asked.push(params)
    const manifest = (models: object[]) => ({
      query,
      getManifest: async () => ({ label: 'X', models }) as Awaited<ReturnType<BackendAdapter['getManifest']>>,
    })
    const models = [
      { code: 'small', label: 'Small' },
      { code: 'large', label: 'Large', default: true },
    ]
    expect(await ask('setModel', [], manifest(models))).toBeNull()
    expect(asked).toEqual([{ model: 'large' }])
    await expect(ask('setModel', [null], manifest(models.slice(0, 1)))).rejects.toMatchObject({
      code: 'UNSUPPORTED',
      message: expect.stringContaining('X does not say which model is its own choice.'),
    })
    expect(asked).toHaveLength(1)
  })

  it('is a refusal where the program has no such thing, or takes it only at its start', async () => {
    await expect(ask('accountInfo', [], none)).rejects.toMatchObject({ code: 'UNSUPPORTED' })
    await expect(ask('setModel', ['m'], { ...none, configure: async () => ['model'] })).rejects.toMatchObject({
      message: 'model: this program takes it only when it starts.',
    })
  })
})
