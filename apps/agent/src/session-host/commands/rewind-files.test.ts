import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { CommandOf, SessionEvent } from '@roundhouse/backend-types'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { HostPolicy } from '../../host-contract/launch-spec'
import type { RunningBackend } from '../program/program-runner'
import { messageIdOf } from '../turns/message-id'
import { RewindFiles, type RewindPorts } from './rewind-files'

let root: string
let work: string
beforeEach(() => {
  root = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'rh-')))
  work = path.join(root, 'work')
  mkdirSync(work)
  writeFileSync(path.join(work, 'a.txt'), 'a')
})
afterEach(() => rmSync(root, { recursive: true }))

interface Given {
  files?: string[]
  answer?: unknown
  policy?: Partial<HostPolicy>
  ports?: Partial<RewindPorts>
  sandbox?: 'read-only'
}

async function rewinds({ files = ['a.txt'], answer, policy, ports, sandbox }: Given = {}) {
  const asked: unknown[] = []
  const recorded: SessionEvent[] = []
  const query = async (_process: unknown, method: string, params: unknown) => {
    asked.push([method, params])
    return answer ?? { canRewind: true, filesChanged: files }
  }
  const rewinding = new RewindFiles({
    journal: { record: async (events: readonly SessionEvent[]) => void recorded.push(...events) } as never,
    turns: { current: null },
    running: () => ({ adapter: { query }, process: {} }) as unknown as RunningBackend,
    settings: () => ({
      settings: { backend: 'claude', workDir: work, ...(sandbox && { sandbox }) },
      realWorkDir: work,
    }),
    policy: () => ({ roots: [work], maxSandbox: 'workspace-write', allowBypassPermissions: false, ...policy }),
    messageId: (promptId) => `message of ${promptId}`,
    ...ports,
  })
  const body: CommandOf<'files.rewind'> = { kind: 'files.rewind', promptId: 'p1' }
  const refusal = await rewinding.rewind(body, { commandId: 'c1' } as never).then(
    () => null,
    (error) => error,
  )
  return { asked, recorded, refusal }
}

const planned = ['rewindFiles', { userMessageId: 'message of p1', dryRun: true }]

describe('files are put back', () => {
  it('[CMD-11.12] [CMD-11.13] behind a look at which these are, and are named in the log', async () => {
    const { asked, recorded, refusal } = await rewinds()
    expect([refusal, asked]).toEqual([null, [planned, ['rewindFiles', { userMessageId: 'message of p1' }]]])
    const data = { promptId: 'p1', files: ['a.txt'], count: 1 }
    expect(recorded).toEqual([{ kind: 'system', commandId: 'c1', subtype: 'files_rewound', data }])
  })

  it.each([
    ['outside the roots', '/etc/hosts', {}, 'PATH_NOT_ALLOWED'],
    ['that the machine denies', 'a.txt', { denyPaths: ['{work}/a.txt'] }, 'POLICY_DENIED'],
    ['of the agent itself', 'a.txt', { agentPlaces: ['{work}'] }, 'POLICY_DENIED'],
    ['where nothing may write', 'a.txt', { denyTools: ['Edit'] }, 'POLICY_DENIED'],
    ['behind a link that leads out', 'link/x', {}, 'PATH_NOT_ALLOWED'],
  ])('[CMD-11.12] not one, where one of them lies %s', async (_where, file, rules, code) => {
    symlinkSync(root, path.join(work, 'link'))
    const policy = JSON.parse(JSON.stringify(rules).replaceAll('{work}', work))
    const { asked, recorded, refusal } = await rewinds({ files: ['a.txt', file], policy })
    expect([refusal, asked, recorded]).toMatchObject([{ code }, [planned], []])
  })

  it.each([
    ['a turn runs', { ports: { turns: { current: {} as never } } }, 'TURN_RUNNING'],
    ['no program runs', { ports: { running: () => null } }, 'NOT_RUNNING'],
    ['the session may only read', { sandbox: 'read-only' as const }, 'POLICY_DENIED'],
    ['the machine may only read', { policy: { maxSandbox: 'read-only' as const } }, 'POLICY_DENIED'],
  ])('[CMD-11.11] not while %s', async (_why, given, code) => {
    expect(await rewinds(given)).toMatchObject({ refusal: { code }, asked: [], recorded: [] })
  })

  it('[CMD-11.11] not where the program keeps nothing of that prompt, or makes no sense', async () => {
    const unknown = await rewinds({ answer: { canRewind: false, error: 'No file checkpoint found.' } })
    expect(unknown).toMatchObject({
      refusal: { code: 'NOT_FOUND', message: 'No file checkpoint found.' },
      recorded: [],
    })
    expect(await rewinds({ answer: 'yes' })).toMatchObject({ refusal: { code: 'BACKEND_ERROR' }, recorded: [] })
  })
})

it('[CMD-11.10] a prompt has one id for the program, which is a UUID, and another one in another log', () => {
  const id = messageIdOf('l1', 'p1')
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  expect([messageIdOf('l1', 'p1'), messageIdOf('l2', 'p1') === id, messageIdOf('l1', 'p2') === id]).toEqual([
    id,
    false,
    false,
  ])
})
