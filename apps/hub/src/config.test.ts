import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { readConfig } from './config'

const read = (env: Record<string, string | undefined>) => readConfig(env as NodeJS.ProcessEnv, [])

describe('readConfig', () => {
  it('starts on loopback by default', () => {
    expect(read({})).toMatchObject({ host: '127.0.0.1', port: 4600, loopback: true })
  })

  it.each([
    { HOST: '0.0.0.0' },
    { HOST: '192.168.1.4', ROUNDHOUSE_PUBLIC_URL: 'http://hub.example' },
    { HOST: '::', ROUNDHOUSE_PUBLIC_URL: 'https://hub.example' },
    { HOST: '0.0.0.0', ROUNDHOUSE_BEHIND_TLS_PROXY: '1' },
  ])('[T83] [A6] refuses %j: a public bind without TLS or a declared proxy', (env) => {
    expect(() => read(env)).toThrow(expect.objectContaining({ code: 'INSECURE_BIND' }))
  })

  it('listens beyond this machine behind a declared TLS proxy', () => {
    const config = read({
      HOST: '0.0.0.0',
      ROUNDHOUSE_PUBLIC_URL: 'https://hub.example/',
      ROUNDHOUSE_BEHIND_TLS_PROXY: '1',
    })
    expect(config.publicUrl).toBe('https://hub.example')
  })

  it('[T84] believes a forwarded address from a declared proxy alone: on this machine, or where it is said', () => {
    const proxies = (env: Record<string, string>) => read(env).trustedProxies
    expect(proxies({})).toEqual([])
    expect(proxies({ ROUNDHOUSE_BEHIND_TLS_PROXY: '1' })).toEqual(['127.0.0.0/8', '::1'])
    const named = { ROUNDHOUSE_BEHIND_TLS_PROXY: '1', ROUNDHOUSE_TRUSTED_PROXIES: '10.0.0.5, fd00::/8' }
    expect(proxies(named)).toEqual(['10.0.0.5', 'fd00::/8'])
    expect(() => read({ ROUNDHOUSE_TRUSTED_PROXIES: '10.0.0.5' })).toThrow('ROUNDHOUSE_BEHIND_TLS_PROXY=1')
  })

  it.each([{ PORT: 'abc' }, { PORT: '70000' }, { ROUNDHOUSE_PUBLIC_URL: 'ftp://x' }, { ROUNDHOUSE_LOG_LEVEL: 'loud' }])(
    'names the variable that is wrong in %j',
    (env) => {
      expect(() => read(env)).toThrow(new RegExp(Object.keys(env)[0] ?? ''))
    },
  )
})

it('each variable that the hub reads is in docs/configuration.md', () => {
  const textOf = (file: string) => readFileSync(path.join(import.meta.dirname, file), 'utf8')
  const read = ['config.ts', 'oidc-config.ts'].flatMap((file) => textOf(file).match(/^ {2}[A-Z_]+(?=: )/gm) ?? [])
  expect(read.length).toBeGreaterThan(10)
  const told = textOf('../../../docs/configuration.md')
  expect(read.map((name) => name.trim()).filter((name) => !told.includes(`\`${name}\``))).toEqual([])
})
