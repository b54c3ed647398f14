/** A hub beside an identity provider that is not there, or not to be believed. */
import { rmSync } from 'node:fs'
import { afterAll, describe, expect, it } from 'vitest'
import { IdentityProvider } from '../support/browser/identity-provider'
import { freshFolder } from '../support/common/paths'
import { HubProcess } from '../support/processes/hub-process'
import { newBrowserKey, RawWeb } from '../support/wire/raw-web'

const provider = await IdentityProvider.start()
afterAll(() => provider.stop())

describe('a hub', () => {
  it('without one has none of its routes', async () => {
    const plain = new HubProcess(freshFolder('oidc-none'))
    await plain.start()
    try {
      const other = new RawWeb(plain)
      for (const route of ['sign-in/social', 'link-social'])
        expect((await other.post(`/api/auth/${route}`, { password: 'x' })).status).toBe(404)
      expect((await other.ask(`/api/auth/callback/oidc?state=x&code=y`)).status).toBe(404)
      expect(JSON.parse((await other.ask('/api/v1/health')).body)).toMatchObject({ identityProvider: null })
    } finally {
      await plain.stop()
      rmSync(plain.dataDir, { recursive: true, force: true, maxRetries: 5 })
    }
  })

  it.each([
    ['calls itself by another name', { issuer: 'https://evil.example' }],
    ['names a door without TLS', { token_endpoint: 'http://id.example/token' }],
  ])('starts beside a provider that %s, and uses it once it does not', async (_what, document) => {
    provider.bend = { document }
    const other = new HubProcess(freshFolder('oidc-bent'), provider.env)
    await other.start()
    try {
      const raw = new RawWeb(other)
      const ask = async () => raw.post('/api/auth/sign-in/social', {}, { 'new-key': await newBrowserKey() })
      expect((await ask()).code).toBe('IDENTITY_PROVIDER_UNAVAILABLE')
      provider.bend = {}
      expect((await ask()).status).toBe(200)
    } finally {
      await other.stop()
      rmSync(other.dataDir, { recursive: true, force: true, maxRetries: 5 })
    }
  })
})
