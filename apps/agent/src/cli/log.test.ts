import { appendFileSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { CodedError, type Command, type CommandAnswer } from '@roundhouse/backend-types'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { VerbsLog } from '../daemon/home/verbs-log'
import { type AgentHome, agentHome } from '../files/agent-home'
import { turned } from '../files/verbs-log'
import { showLog } from './log'

let root: string
let home: AgentHome
beforeEach(() => {
  root = mkdtempSync(path.join(os.tmpdir(), 'rh-log-'))
  home = agentHome({ ROUNDHOUSE_AGENT_HOME: root })
  mkdirSync(home.state)
})
afterEach(() => rmSync(root, { recursive: true }))

const secret = 'the text of a prompt'
const command = (commandId: string, name = 'Ana'): Command => ({
  commandId,
  sessionId: 's1',
  author: { userId: 'u1', name },
  createdAt: 1,
  body: { kind: 'prompt.send', promptId: 'p', text: secret },
})
const refused = (rule: string): CommandAnswer => ({
  state: 'refused',
  error: new CodedError('POLICY_DENIED', undefined, { rule }).toBody(),
})
const logTo = (turnAtBytes?: number) => new VerbsLog(home.verbsLog, () => 0, turnAtBytes)
const shown = async (json = false) => {
  const lines: string[] = []
  await showLog(home, { follow: false, json }, (line) => lines.push(line))
  return lines
}

describe("[POL-1] the agent's own log of verbs", () => {
  it('says when, what, who and the verdict with its rule, and nothing of what was written', async () => {
    const log = logTo()
    log.write(command('c1'), { state: 'accepted' })
    log.write(command('c2'), refused('paused'))
    expect(await shown()).toEqual([
      '1970-01-01T00:00:00.000Z  prompt.send          s1  Ana  accepted',
      '1970-01-01T00:00:00.000Z  prompt.send          s1  Ana  refused (POLICY_DENIED, rule paused)',
    ])
    const json = await shown(true)
    expect(json.map((line) => JSON.parse(line).commandId)).toEqual(['c1', 'c2'])
    expect(json.join()).not.toContain(secret)
    expect(statSync(home.verbsLog).mode & 0o777).toBe(0o600)
  })

  it('[CMD-6] shows what a hub wanted to know of the machine, and how it was answered', async () => {
    const log = logTo()
    log.asked('manifest', null)
    log.asked('folders', new CodedError('PATH_NOT_ALLOWED', '/home/ana/secret'))
    expect(await shown()).toEqual([
      '1970-01-01T00:00:00.000Z  question.manifest    -  -  answered',
      '1970-01-01T00:00:00.000Z  question.folders     -  -  refused (PATH_NOT_ALLOWED)',
    ])
  })

  it('is bounded: the file moves aside once, and both are shown in order', async () => {
    const log = logTo(1_000)
    for (let count = 0; count < 100; count += 1) log.write(command(`c${count}`), { state: 'accepted' })
    expect(statSync(home.verbsLog).size + statSync(turned(home.verbsLog)).size).toBeLessThan(2_600)
    const ids = (await shown(true)).map((line) => JSON.parse(line).commandId)
    expect(ids.at(-1)).toBe('c99')
    expect(ids).toEqual(ids.map((_, index) => `c${100 - ids.length + index}`))
  })

  it('follows what is written, also across the moment at which the file moves aside', async () => {
    const log = logTo(1_000)
    const end = new AbortController()
    const ids: string[] = []
    log.write(command('c0'), { state: 'accepted' })
    let count = 0
    await showLog(
      home,
      { follow: true, json: true },
      (line) => {
        ids.push(JSON.parse(line).commandId)
        count += 1
        if (count < 20) log.write(command(`c${count}`), { state: 'accepted' })
        else end.abort()
      },
      end.signal,
    )
    expect(ids).toEqual(Array.from({ length: 20 }, (_, index) => `c${index}`))
  })

  it('shows names inert, and passes over a line that was torn', async () => {
    logTo().write(command('c1', 'A\u001b[2J\u202ena'), { state: 'done' })
    appendFileSync(home.verbsLog, '{"at":"19')
    expect(await shown()).toEqual(['1970-01-01T00:00:00.000Z  prompt.send          s1  A?[2J?na  done'])
  })

  it('loses nothing but a torn line: the next one begins anew', async () => {
    logTo().write(command('c1', 'Ana'), { state: 'done' })
    appendFileSync(home.verbsLog, '{"at":"19')
    logTo().write(command('c2', 'Ana'), { state: 'done' })
    logTo().write(command('c3', 'Ana'), { state: 'done' })
    expect(await shown()).toHaveLength(3)
  })

  it('is empty where nothing was asked', async () => {
    expect(await shown()).toEqual([])
  })
})
