#!/usr/bin/env node
/**
 * A program that speaks the protocol as the recordings do, and does what its prompt says: `SCRIPT: [step, ...]`.
 *
 *   {"text":"hello","chunk":8}                 an answer in pieces
 *   {"thinking":"..."}
 *   {"tool":"shell","input":{"command":".."}}  a command that asks; with "unasked": true one that does not
 *   {"tools":[step, ...]}                      several commands at once
 *   {"plan":[..]} {"usage":{..}}               as the updates have them
 *   {"frame":{..}} {"line":".."} {"long":n}    this frame, this line, an update of n bytes
 *   {"options":[..]}                           what the next command is asked with
 *   {"hang":true}                              until it is cancelled
 *   {"error":{..}} {"twice":true}              ends the turn with an error, or with two replies
 *   {"crash":true}                            at once; "crashes" on a command: as soon as it has asked
 *
 * SCRIPTED_ACP, or its argument, chooses how it starts: `silent`, `noise`, `exits`, `logged-out`, `old`, `forgets`, or `tells-late`: behind the reply to a load.
 */
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const behaviour = process.argv[2] ?? process.env.SCRIPTED_ACP ?? ''
const store = join(process.env.HOME ?? '.', 'scripted-acp')
const send = (frame) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...frame })}\n`)
const asked = new Map()
let asks = 0
let session
let turn
let model = 'first-model'
let mode = 'ask'

if (behaviour === 'exits') {
  process.stderr.write('settings.json: expected a value\n')
  process.exit(1)
}

const fileOf = (sessionId) => join(store, `${sessionId}.json`)
const save = () => {
  mkdirSync(store, { recursive: true })
  // A kill in the middle must leave the record as it was.
  writeFileSync(`${fileOf(session.sessionId)}.new`, JSON.stringify(session))
  renameSync(`${fileOf(session.sessionId)}.new`, fileOf(session.sessionId))
}
const update = (fields) => send({ method: 'session/update', params: { sessionId: session.sessionId, update: fields } })
const textOf = (text) => ({ type: 'text', text })
const options = ['first-model', 'other-model'].map((value) => ({ value, name: value.replace('-', ' ') }))
const opened = () => ({
  modes: { currentModeId: mode, availableModes: [{ id: 'ask', name: 'Ask' }] },
  configOptions: [{ id: 'model', category: 'model', type: 'select', currentValue: model, options }],
})

function tellAgain() {
  for (const prompt of session.prompts) {
    update({ sessionUpdate: 'user_message_chunk', content: textOf(prompt) })
    update({ sessionUpdate: 'agent_message_chunk', content: textOf('Told before.') })
    update({ sessionUpdate: 'tool_call', toolCallId: 'old', title: 'shell', kind: 'execute', status: 'completed' })
  }
  update({ sessionUpdate: 'available_commands_update', availableCommands: [] })
}

const answers = {
  initialize: () => ({
    protocolVersion: behaviour === 'old' ? 0 : 1,
    agentInfo: { name: 'scripted', version: '1.2.3' },
    agentCapabilities: { loadSession: behaviour !== 'forgets', promptCapabilities: { image: true } },
  }),
  'session/new': ({ cwd, mcpServers }) => {
    if (behaviour === 'logged-out') throw { code: -32000, message: 'Authentication required' }
    session = { sessionId: randomUUID(), cwd, mcpServers, prompts: [] }
    save()
    update({ sessionUpdate: 'available_commands_update', availableCommands: [{ name: 'tidy', description: 'Tidies' }] })
    return { sessionId: session.sessionId, ...opened() }
  },
  'session/load': ({ sessionId, cwd }) => {
    if (!/^[\w-]+$/.test(sessionId) || !existsSync(fileOf(sessionId)))
      throw { code: -32603, message: 'Internal error', data: { details: 'No such session.' } }
    session = { ...JSON.parse(readFileSync(fileOf(sessionId), 'utf8')), cwd }
    if (behaviour === 'tells-late') setTimeout(tellAgain)
    else tellAgain()
    return opened()
  },
  'session/set_config_option': ({ configId, value }) => {
    if (configId !== 'model' || value === 'no-model') throw { code: -32602, message: 'No such option.' }
    model = value
    return { configOptions: opened().configOptions }
  },
  'session/set_mode': ({ modeId }) => {
    mode = modeId
    return {}
  },
}

async function play(id, { prompt }) {
  const text = prompt.map((block) => block.text ?? '').join('\n')
  session.prompts.push(text)
  save()
  const view = { prompts: session.prompts, model, mode, mcpServers: session.mcpServers, blocks: prompt }
  writeFileSync(join(store, 'view.json'), JSON.stringify(view))
  const mine = { cancelled: false, cancel: () => {} }
  turn = mine
  const start = text.lastIndexOf('SCRIPT:')
  const steps = start < 0 ? [{ text: 'ok' }] : JSON.parse(text.slice(start + 7))
  let result = { stopReason: 'end_turn', usage: { inputTokens: 100, outputTokens: 20 } }
  for (const step of steps) {
    if (mine.cancelled) break
    const ended = await playStep(id, step, mine)
    if (ended === 'over') return
    if (ended) result = ended
  }
  turn = undefined
  update({ sessionUpdate: 'usage_update', used: 1_000, size: 100_000 })
  if (result.error) return send({ id, error: result.error })
  send({ id, result: mine.cancelled ? { stopReason: 'cancelled' } : result })
}

async function playStep(id, step, mine) {
  for (const [kind, text] of [
    ['agent_thought_chunk', step.thinking],
    ['agent_message_chunk', step.text],
  ]) {
    for (const piece of (text ?? '').match(new RegExp(`[\\s\\S]{1,${step.chunk ?? 16}}`, 'gu')) ?? [])
      update({ sessionUpdate: kind, content: textOf(piece) })
  }
  if (step.plan) update({ sessionUpdate: 'plan', entries: step.plan })
  if (step.usage) update({ sessionUpdate: 'usage_update', ...step.usage })
  if (step.frame) send(JSON.parse(JSON.stringify(step.frame).replaceAll('$SESSION', session.sessionId)))
  if (step.line) process.stdout.write(`${step.line}\n`)
  if (step.long) update({ sessionUpdate: 'agent_message_chunk', content: textOf('x'.repeat(step.long)) })
  if (step.crash) process.exit(7)
  if (step.stop) return { stopReason: step.stop }
  if (step.error) return { error: step.error }
  if (step.tool) await runTool(step, mine)
  if (step.tools) await Promise.all(step.tools.map((one) => runTool(one, mine)))
  if (step.hang) await new Promise((resolve) => setCancel(mine, resolve))
  if (!step.twice) return undefined
  send({ id, result: { stopReason: 'end_turn' } })
  send({ id, result: { stopReason: 'end_turn' } })
  return 'over'
}

function setCancel(mine, cancel) {
  mine.cancel = cancel
  if (mine.cancelled) cancel()
}

const usual = [
  { optionId: 'always', kind: 'allow_always', name: 'Always allow' },
  { optionId: 'once', kind: 'allow_once', name: 'Allow once' },
  { optionId: 'reject', kind: 'reject_once', name: 'Reject' },
]

async function runTool({ input, unasked, crashes, options = usual }, mine) {
  const toolCallId = `call_${randomUUID()}`
  const about = { toolCallId, kind: 'execute', locations: [{ path: session.cwd }] }
  const end = (status, text) =>
    update({
      sessionUpdate: 'tool_call_update',
      ...about,
      status,
      content: [{ type: 'content', content: textOf(text) }],
    })
  update({ sessionUpdate: 'tool_call', ...about, title: 'shell', status: 'pending', rawInput: {} })
  update({ sessionUpdate: 'tool_call_update', ...about, status: 'in_progress', title: input.command, rawInput: input })
  if (!unasked) {
    asks += 1
    const askId = asks
    const answer = new Promise((resolve) => asked.set(askId, resolve))
    const toolCall = { ...about, title: input.command, status: 'pending', rawInput: input }
    send({
      id: askId,
      method: 'session/request_permission',
      params: { sessionId: session.sessionId, toolCall, options },
    })
    if (crashes) process.exit(7)
    const { result } = await answer
    if (result?.outcome?.optionId !== 'once') return end('failed', 'The person refused this call.')
  }
  const { code, text } = await execute(input.command, mine)
  end(code === 0 ? 'completed' : 'failed', text)
}

function execute(command, mine) {
  return new Promise((resolve) => {
    const child = spawn('/bin/sh', ['-c', command], {
      cwd: session.cwd,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let text = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (text += data))
    child.on('close', (code) => resolve({ code, text }))
    const end = () => process.kill(-child.pid, 'SIGKILL')
    process.once('exit', () => child.exitCode === null && end())
    setCancel(mine, end)
  })
}

function receive({ id, method, params, ...reply }) {
  if (method === undefined) {
    asked.get(id)?.(reply)
    asked.delete(id)
  } else if (method === 'session/cancel') {
    if (!turn) return
    turn.cancelled = true
    turn.cancel()
  } else if (method === 'session/prompt') void play(id, params)
  else if (answers[method]) {
    try {
      send({ id, result: answers[method](params) })
    } catch (error) {
      send({ id, error })
    }
  } else send({ id, error: { code: -32601, message: `"Method not found": ${method}` } })
}

if (behaviour === 'noise') setInterval(() => process.stdout.write('Welcome! Press any key.\n'), 20)
createInterface({ input: process.stdin })
  .on('line', (line) => behaviour !== 'silent' && behaviour !== 'noise' && receive(JSON.parse(line)))
  .on('close', () => process.exit(0))
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => process.exit(0))
