import { describe, expect, it } from 'vitest'
import {
  createWebGuard,
  judgeAgentHandshake,
  judgeRequest,
  judgeViewerHandshake,
  OIDC_CALLBACK_PATH,
  type WebRequest,
} from './web-guard'

const guard = createWebGuard('http://localhost:4600', 4600, true)
const ours: WebRequest = {
  method: 'GET',
  path: '/api/v1/me',
  host: 'localhost:4600',
  origin: undefined,
  secFetchSite: undefined,
  hasCredential: true,
}
const judge = (change: Partial<WebRequest>) => judgeRequest(guard, { ...ours, ...change })

describe('[WEB-1] judgeRequest', () => {
  it.each(['localhost:4600', '127.0.0.1:4600', '[::1]:4600'])('answers under the loopback name %s', (host) => {
    expect(judge({ host })).toBeNull()
  })

  it.each(['evil.example', 'localhost', 'localhost:80', 'localhost:4600.evil.example', undefined])(
    '[T72] [WEB-1.1] refuses the host %s, whatever it resolves to',
    (host) => {
      expect(judge({ host })).toBe('HOST_NOT_ALLOWED')
    },
  )

  it('[T73] [WEB-1.4] takes what a browser sends of a person on a write only with our own origin', () => {
    expect(judge({ method: 'POST', origin: 'http://localhost:4600' })).toBeNull()
    expect(judge({ method: 'POST', origin: undefined })).toBe('ORIGIN_NOT_ALLOWED')
    expect(judge({ method: 'POST', origin: 'http://evil.example' })).toBe('ORIGIN_NOT_ALLOWED')
    expect(judge({ method: 'POST', origin: 'null' })).toBe('ORIGIN_NOT_ALLOWED')
  })

  it('[WEB-1.4] refuses the origin of another of our names: to a browser that is another site', () => {
    expect(judge({ method: 'POST', origin: 'http://127.0.0.1:4600' })).toBe('ORIGIN_NOT_ALLOWED')
  })

  it('[WEB-1.6] [WEB-1.7] refuses a cross-site fetch under /api, but for a page on its way back from the identity provider', () => {
    const elsewhere = { secFetchSite: 'cross-site', secFetchDest: 'document' }
    const back = { ...elsewhere, path: `${OIDC_CALLBACK_PATH}?code=x&state=y` }
    expect(judge(elsewhere)).toBe('ORIGIN_NOT_ALLOWED')
    expect(judge(back)).toBeNull()
    expect(judge({ ...back, secFetchDest: 'iframe' })).toBe('ORIGIN_NOT_ALLOWED')
    expect(judge({ ...back, method: 'HEAD' })).toBe('ORIGIN_NOT_ALLOWED')
    expect(judge({ ...back, path: `${OIDC_CALLBACK_PATH}/more?` })).toBe('ORIGIN_NOT_ALLOWED')
    expect(judge({ ...back, host: 'evil.example' })).toBe('HOST_NOT_ALLOWED')
  })

  it('lets a client without credential and origin through to the credential check', () => {
    expect(judge({ method: 'POST', origin: undefined, hasCredential: false })).toBeNull()
  })

  it('[WEB-1.6] refuses cross-site reads of the API', () => {
    expect(judge({ secFetchSite: 'cross-site' })).toBe('ORIGIN_NOT_ALLOWED')
    expect(judge({ secFetchSite: 'cross-site', path: '/login' })).toBeNull()
  })
})

describe('[WEB-1] handshakes', () => {
  it('[T70] [WEB-1.4] a viewer needs our origin, a missing one is refused too', () => {
    expect(judgeViewerHandshake(guard, 'localhost:4600', 'http://localhost:4600')).toBeNull()
    expect(judgeViewerHandshake(guard, 'localhost:4600', undefined)).toBe('ORIGIN_NOT_ALLOWED')
    expect(judgeViewerHandshake(guard, 'localhost:4600', 'https://evil.example')).toBe('ORIGIN_NOT_ALLOWED')
    expect(judgeViewerHandshake(guard, 'evil.example', 'http://evil.example')).toBe('HOST_NOT_ALLOWED')
  })

  it('[WEB-1.8] [WEB-1.9] an agent is no page: it sends no origin', () => {
    expect(judgeAgentHandshake(guard, 'localhost:4600', undefined)).toBeNull()
    expect(judgeAgentHandshake(guard, 'localhost:4600', 'http://localhost:4600')).toBe('ORIGIN_NOT_ALLOWED')
  })
})
