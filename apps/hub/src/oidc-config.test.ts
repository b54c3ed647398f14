import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { isSafeUrl, readOidcConfig } from './oidc-config'

const read = (env: Record<string, string>) => readOidcConfig(env as unknown as NodeJS.ProcessEnv)
const provider = { ROUNDHOUSE_OIDC_ISSUER: 'https://id.example/realm', ROUNDHOUSE_OIDC_CLIENT_ID: 'hub' }

describe('the identity provider of the environment', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'roundhouse-oidc-'))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  it('is none unless it is named; what is set to nothing is not set', () => {
    expect(read({})).toBeNull()
    expect(read({ ROUNDHOUSE_OIDC_ISSUER: '', ROUNDHOUSE_OIDC_CLIENT_ID: '' })).toBeNull()
    expect(read({ ROUNDHOUSE_OIDC_LABEL: 'Example ID' })).toBeNull()
  })

  it('is taken as it calls itself, with a secret from the environment, from a file, or none', () => {
    const plain = { issuer: 'https://id.example/realm', clientId: 'hub', label: 'single sign-on' }
    expect(read(provider)).toEqual(plain)
    const named = { ROUNDHOUSE_OIDC_LABEL: 'Example ID', ROUNDHOUSE_OIDC_CLIENT_SECRET: 's' }
    expect(read({ ...provider, ...named })).toEqual({ ...plain, label: 'Example ID', clientSecret: 's' })
    const file = path.join(folder, 'secret')
    writeFileSync(file, 'from a file\n')
    expect(read({ ...provider, ROUNDHOUSE_OIDC_CLIENT_SECRET_FILE: file })?.clientSecret).toBe('from a file')
  })

  it.each([
    [{ ROUNDHOUSE_OIDC_CLIENT_ID: 'hub' }, 'ROUNDHOUSE_OIDC_ISSUER'],
    [{ ROUNDHOUSE_OIDC_CLIENT_SECRET: 's' }, 'ROUNDHOUSE_OIDC_ISSUER'],
    [{ ROUNDHOUSE_OIDC_ISSUER: 'https://id.example' }, 'ROUNDHOUSE_OIDC_CLIENT_ID'],
    [{ ...provider, ROUNDHOUSE_OIDC_ISSUER: 'id.example' }, 'ROUNDHOUSE_OIDC_ISSUER'],
    [{ ...provider, ROUNDHOUSE_OIDC_ISSUER: 'http://id.example' }, 'ROUNDHOUSE_OIDC_ISSUER'],
    [{ ...provider, ROUNDHOUSE_OIDC_LABEL: 'x'.repeat(50) }, 'ROUNDHOUSE_OIDC_LABEL'],
    [{ ...provider, ROUNDHOUSE_OIDC_CLIENT_SECRET_FILE: '/nowhere/secret' }, 'ROUNDHOUSE_OIDC_CLIENT_SECRET_FILE'],
    [{ ...provider, ROUNDHOUSE_OIDC_CLIENT_SECRET: 's', ROUNDHOUSE_OIDC_CLIENT_SECRET_FILE: '/x' }, '_FILE'],
  ])('is refused in %j, by the name of what is wrong', (env, name) => {
    expect(() => read(env)).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }))
    expect(() => read(env)).toThrow(name)
  })
})

describe('isSafeUrl', () => {
  it.each(['https://id.example', 'http://127.0.0.1:9000/x', 'http://localhost:9000', 'http://[::1]:9000'])(
    'takes %s',
    (address) => expect(isSafeUrl(address)).toBe(true),
  )

  it.each(['http://id.example', 'http://127.0.0.1.evil.example', 'http://localhost.evil.example', 'ftp://x', 'x', ''])(
    'refuses %j',
    (address) => expect(isSafeUrl(address)).toBe(false),
  )
})
