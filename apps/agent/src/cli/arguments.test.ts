import { toCodedError } from '@roundhouse/backend-types'
import { describe, expect, it } from 'vitest'
import { DEFAULT_IDLE_MS, readArguments } from './arguments'

const read = (line: string) => readArguments(line.split(' ').filter((word) => word !== ''))
const refusal = (line: string): string => {
  try {
    read(line)
    return 'taken'
  } catch (error) {
    const { code, message } = toCodedError(error)
    return `${code} ${message}`
  }
}

describe('the command line', () => {
  it('reads what each command takes', () => {
    expect(read('join https://hub.example --fingerprint ab --token-file t --name desk')).toEqual({
      verb: 'join',
      url: 'https://hub.example',
      fingerprint: 'ab',
      tokenFile: 't',
      name: 'desk',
      plainHttp: false,
      replace: false,
    })
    expect(read('up')).toEqual({ verb: 'up', ownSessions: false, idleMs: DEFAULT_IDLE_MS, allowRoot: false })
    expect(read('up --own-sessions --idle-ms 500 --allow-root')).toEqual({
      verb: 'up',
      ownSessions: true,
      idleMs: 500,
      allowRoot: true,
    })
    expect(read('allow /code')).toEqual({ verb: 'allow', folder: '/code' })
    expect(read('stop --sessions')).toEqual({ verb: 'stop' })
    expect(read('audit-heads')).toEqual({ verb: 'audit-heads' })
    expect(read('policy')).toEqual({ verb: 'policy' })
    expect(read('rules')).toEqual({ verb: 'rules', revoke: null })
    expect(read('rules revoke r-1')).toEqual({ verb: 'rules', revoke: 'r-1' })
    for (const wrong of ['rules revoke', 'rules list', 'rules revoke a b'])
      expect(refusal(wrong)).toMatch(/^INVALID_ARGUMENT/)
    expect(read('pause')).toEqual({ verb: 'pause', stop: false })
    expect(read('pause --stop')).toEqual({ verb: 'pause', stop: true })
    expect(read('resume')).toEqual({ verb: 'resume' })
    expect(read('log')).toEqual({ verb: 'log', follow: false, json: false })
    expect(read('log -f --json')).toEqual({ verb: 'log', follow: true, json: true })
    expect(read('bridge')).toEqual({ verb: 'bridge', backend: 'claude', callbackMs: null })
    expect(read('bridge --backend codex --callback-ms 1000')).toEqual({
      verb: 'bridge',
      backend: 'codex',
      callbackMs: 1000,
    })
    const run = { verb: 'run', prompt: 'hi', backend: 'claude', folder: null, model: null, ask: false, json: false }
    expect(read('run hi')).toEqual(run)
    expect(read('run - --backend codex --folder /code --model m --ask --json')).toEqual({
      ...{ verb: 'run', prompt: null, backend: 'codex', folder: '/code', model: 'm', ask: true, json: true },
    })
    for (const wrong of ['run', 'run fix the tests', 'run hi --fast', 'run hi --follow'])
      expect(refusal(wrong)).toMatch(/^INVALID_ARGUMENT/)
    const toHub = { hub: null, tokenFile: null, plainHttp: false }
    expect(read('subscribe')).toEqual({ verb: 'subscribe', patterns: ['**'], after: null, name: null, ...toHub })
    expect(read('subscribe worker.** cmd.*.abort --after 17 --hub https://hub.example')).toMatchObject({
      patterns: ['worker.**', 'cmd.*.abort'],
      after: 17,
      hub: 'https://hub.example',
    })
    expect(read('publish message {} --token-file t')).toEqual({
      ...{ verb: 'publish-message', input: '{}' },
      ...{ ...toHub, tokenFile: 't' },
    })
    for (const wrong of ['subscribe ***', 'subscribe --after 1.5', 'publish event {} --hub x', 'publish message a b'])
      expect(refusal(wrong)).toMatch(/^INVALID_ARGUMENT/)
    expect(read('status')).toEqual({ verb: 'status' })
    expect(read('')).toEqual({ verb: 'help' })
    expect(read('--help')).toEqual({ verb: 'help' })
    expect(read('up --help')).toEqual({ verb: 'help', about: 'up' })
    expect(read('-v')).toEqual({ verb: 'version' })
  })

  it('[JOIN-1.5] takes no token as an argument', () => {
    expect(refusal('join https://hub.example rhe_secret --fingerprint ab')).toContain(
      'Do not pass the token as an argument',
    )
    expect(refusal('join https://hub.example --fingerprint ab --token x')).toContain('INVALID_ARGUMENT')
  })

  it.each([
    'bridge now',
    'bridge --callback-ms soon',
    'bridge --callback-ms 0',
    'join',
    'join https://hub.example',
    'allow',
    'allow a b',
    'stop',
    'status now',
    'up --sessions',
    'resume now',
    'status --json',
    'up --idle-ms soon',
    'up --idle-ms 0',
    'fly',
    '--unknown',
  ])('refuses %j', (line) => {
    expect(refusal(line)).toContain('INVALID_ARGUMENT')
  })
})
