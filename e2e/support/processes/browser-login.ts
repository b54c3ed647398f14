/**
 * Signs a page in without the form: creates a key, signs in by plain HTTP, and puts the key into the page's key store
 * as non-extractable. Stories of the form itself are in `door.spec.ts`.
 */
import type { Page } from '@playwright/test'
import { type BrowserKey, MemoryKeys, Prover } from '@roundhouse/hub-client'
import { owner } from './hub-process'

const algorithm = { name: 'ECDSA', namedCurve: 'P-256' } as const

/** Leaves the page at an address of the hub that shows nothing. */
export async function signInPage(page: Page, hubUrl: string): Promise<void> {
  const pair = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const raw = Buffer.from(await crypto.subtle.exportKey('raw', pair.publicKey))
  const keyId = Buffer.from(await crypto.subtle.digest('SHA-256', raw)).toString('base64url')
  const key: BrowserKey = { keyId, publicKey: raw.toString('base64url'), privateKey: pair.privateKey }
  await signIn(hubUrl, key)
  const jwk = await crypto.subtle.exportKey('jwk', pair.privateKey)
  await page.goto(`${hubUrl}/api/v1/health`)
  await page.evaluate(storeKey, { jwk, keyId, publicKey: key.publicKey })
}

async function signIn(hubUrl: string, newKey: BrowserKey): Promise<void> {
  const answer = await new Prover({ keys: new MemoryKeys() }).send(`${hubUrl}/api/auth/sign-in/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: new URL(hubUrl).origin },
    body: JSON.stringify({ email: owner.email, password: owner.password }),
    newKey,
  })
  if (!answer.ok) throw new Error(`sign-in: ${answer.status} ${await answer.text()}`)
}

/** Runs in the page. */
async function storeKey({ jwk, ...key }: { jwk: object; keyId: string; publicKey: string }): Promise<void> {
  const privateKey = await crypto.subtle.importKey('jwk', jwk, { name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign'])
  await new Promise<void>((resolve, reject) => {
    const asked = indexedDB.open('roundhouse', 1)
    asked.onupgradeneeded = () => asked.result.createObjectStore('keys')
    asked.onerror = () => reject(asked.error)
    asked.onsuccess = () => {
      const written = asked.result.transaction('keys', 'readwrite')
      written.objectStore('keys').put({ ...key, privateKey }, 'current')
      written.oncomplete = () => {
        asked.result.close()
        resolve()
      }
    }
  })
}

/** Like a person who clears the site data of this address. */
export async function clearKeys(page: Page): Promise<void> {
  await page.evaluate(async () => {
    localStorage.clear()
    await new Promise((resolve) => {
      const asked = indexedDB.deleteDatabase('roundhouse')
      asked.onsuccess = asked.onblocked = resolve
    })
  })
}
