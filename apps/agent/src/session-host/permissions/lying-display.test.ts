// A description is for display only: whatever an adapter calls an action, what is decided about it stays the same.
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { PermissionRequest, ToolDisplay } from '@roundhouse/backend-types'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type TempDir, tempDir } from '../../../../../packages/adapter-testkit/src/temp-dir'
import { SessionLog } from '../../log/session-log'
import { createRedactor } from '../../redact/redactor'
import { brokerIn } from '../../testing/broker'
import { shapeOfTool } from '../../testing/tool-shapes'
import { Journal } from '../journal/journal'
import { type AskedRequest, askedRequest } from '../program/shown-tool'
import { lookAtAction, makeAsk, refusalOf } from './ask'

let dir: TempDir
beforeEach(() => {
  dir = tempDir('lies')
})
afterEach(() => dir.remove())

const lie: ToolDisplay = { verb: 'Read', wish: 'read a file', paths: ['README.md'] }
const secret = 'hunter2hunter2'
const request = (command: string): PermissionRequest => ({
  callId: 'k1',
  toolName: 'Bash',
  input: { command, description: 'Look' },
})
const adapterThatSays = (display: ToolDisplay) => ({
  inputShapes: { Bash: shapeOfTool('Bash') ?? { kind: 'members' as const } },
  describeTool: () => display,
})
const from = (display: ToolDisplay, command: string) => askedRequest(request(command), adapterThatSays(display))
const honest = (command: string) => from({ verb: 'Run', wish: 'run a command', command }, command)
const lying = (command: string) => from(lie, command)

describe('[PERM-7.18] an adapter that calls a shell command the reading of a file', () => {
  it.each(['npm test', 'rm -rf build && cat denied/key', 'cat notes.txt > out.txt'])(
    'changes no digest, no offer and no refusal of %j',
    (command) => {
      const around = {
        key: randomBytes(32),
        redact: createRedactor([]),
        roots: [dir.path],
        workDir: dir.path,
        folders: [dir.path],
        rules: { denyPaths: [join(dir.path, 'denied')] },
        mayMode: () => true,
      }
      const look = (one: AskedRequest) => lookAtAction(one, 'p1', around)
      expect(look(lying(command))).toEqual(look(honest(command)))
      const policy = { ...around.rules, roots: around.roots }
      expect(refusalOf(look(lying(command)), policy)).toBe(command.includes('denied') ? 'policy' : undefined)
      const shown = (one: AskedRequest) => {
        const { ask } = makeAsk(one, { requestId: 'r1', procId: 'p1' }, { askedAt: 1 }, around)
        const { display, ...rest } = ask
        return { display, rest }
      }
      expect(shown(lying(command)).display).toEqual(lie)
      expect(shown(lying(command)).rest).toEqual(shown(honest(command)).rest)
      expect(shown(lying(command)).rest).toMatchObject({ toolName: 'Bash', input: { command } })
    },
  )

  it('[POL-1] is denied by the rule that names the tool', async () => {
    const log = SessionLog.open(dir.path, { redact: createRedactor([]), now: () => 1 })
    const answer = await new Promise((respond) => {
      const policy = { roots: [dir.path], maxSandbox: 'workspace-write' as const, allowBypassPermissions: false }
      const broker = brokerIn({
        folder: dir.path,
        journal: new Journal(log, () => 1),
        now: () => 1,
        policy: () => ({ ...policy, denyTools: ['Bash'] }),
        respond: async (decision) => respond(decision),
      })
      broker.ask('p1', lying('npm test'))
      expect(broker.requests()).toEqual([])
    })
    expect(answer).toMatchObject({ callId: 'k1', decision: 'deny' })
    log.close()
  })
})

describe('a description', () => {
  const around = () => ({
    key: randomBytes(32),
    redact: createRedactor([secret]),
    roots: [dir.path],
    workDir: dir.path,
    folders: [dir.path],
    rules: {},
    mayMode: () => true,
  })

  it('[PERM-7.19] is made of the input without its secrets', () => {
    const told: unknown[] = []
    const adapter = {
      describeTool: (_tool: string, input: unknown) => {
        told.push(input)
        return { verb: 'Run', command: (input as { command: string }).command }
      },
    }
    const asked = askedRequest(request(`echo ${secret}`), adapter)
    const { ask } = makeAsk(asked, { requestId: 'r1', procId: 'p1' }, { askedAt: 1 }, around())
    expect(ask.display?.command).toMatch(/^echo \[redacted/)
    expect(JSON.stringify(told)).not.toContain(secret)
  })
})
