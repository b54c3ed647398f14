'use client'
/** The browser's part of passkeys, between two calls of the hub. */
import type { OwnProof } from '@roundhouse/backend-types'
import type { PublicKeyCredentialCreationOptionsJSON } from '@simplewebauthn/browser'
import { useEffect, useState } from 'react'
import { pageKeys } from '../../live/page-prover'
import { authPost, type Refused } from './auth-post'
import { newKey } from './new-key'

/** Browsers create passkeys for host names, never for addresses. */
export function usePasskeysWork(): boolean {
  const [work, setWork] = useState(false)
  useEffect(() => {
    const isAddress = /^[\d.]+$|:/.test(location.hostname)
    setWork('PublicKeyCredential' in window && !isAddress)
  }, [])
  return work
}

/** `null` on success. */
export async function signInWithPasskey(): Promise<Refused | null> {
  const key = await newKey()
  if ('code' in key) return key
  const options = await authPost('/passkey/options', {}, key)
  if ('refused' in options) return options.refused
  const { startAuthentication } = await import('@simplewebauthn/browser')
  const response = await startAuthentication({ optionsJSON: options.ok }).catch(() => null)
  if (!response) return { code: 'AUTH_FAILED', message: 'No passkey was used.' }
  const answer = await authPost('/passkey/sign-in', { response: { ...response } }, key)
  if ('refused' in answer) return answer.refused
  await pageKeys.setCurrent(key)
  return null
}

/** `null` on success. */
export async function addPasskey(name: string, proof: OwnProof): Promise<Refused | null> {
  const options = await authPost('/passkey/register-options', proof)
  if ('refused' in options) return options.refused
  const { startRegistration } = await import('@simplewebauthn/browser')
  const response = await startRegistration({
    optionsJSON: options.ok as unknown as PublicKeyCredentialCreationOptionsJSON,
  }).catch(() => null)
  if (!response)
    return { code: 'AUTH_FAILED', message: 'No passkey was created. You may already have one on this device.' }
  const answer = await authPost('/passkey/register', { name, response: { ...response } })
  return 'refused' in answer ? answer.refused : null
}
