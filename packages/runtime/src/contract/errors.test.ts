import { CodedError } from '@roundhouse/backend-types'
import { describe, expect, it } from 'vitest'
import { findProvider, isProviderError, providerErrors } from './errors'
import type { Handle, Provider } from './provider'

describe('the five errors', () => {
  const codes = Object.values(providerErrors)

  it('are distinct codes of the error table', () => {
    expect(new Set(codes).size).toBe(5)
    for (const code of codes)
      expect(new CodedError(code)).toMatchObject({ code, message: expect.stringMatching(/\.$/) })
  })

  it.each(codes)('%s is found behind the words that a caller puts before it', (code) => {
    const wrapped = new Error('while starting', { cause: new CodedError(code) })
    expect(codes.filter((one) => isProviderError(wrapped, one))).toEqual([code])
  })

  it('are no other error', () => {
    expect(codes.filter((code) => isProviderError(new Error('x'), code))).toEqual([])
    expect(codes.filter((code) => isProviderError(undefined, code))).toEqual([])
  })
})

/** The contract can be met from outside this package: this compiles. */
class OtherHandle implements Handle {
  sessionId = () => 's'
  events: Handle['events'] = async function* () {}
  inject = async () => {}
  stop = async () => {}
}

class OtherProvider implements Provider {
  name = () => 'kilo'
  capabilities = (): never => {
    throw new CodedError('UNSUPPORTED')
  }
  spawn = async () => new OtherHandle()
  resume = async () => new OtherHandle()
  shutdown = async () => {}
}

describe('findProvider', () => {
  const kilo = new OtherProvider()

  it('finds a provider by its name', () => {
    expect(findProvider([kilo], 'kilo')).toBe(kilo)
  })

  it('answers NO_PROVIDER for a name that nobody has', () => {
    expect(() => findProvider([kilo], 'jules')).toThrow(expect.objectContaining({ code: 'NO_PROVIDER' }))
  })
})
