import { describe, expect, it } from 'vitest'
import { codeOf, startFailure } from './failures'

describe('codeOf', () => {
  it('trusts the status of the model service first', () => {
    const text = 'Not logged in'
    expect(codeOf({ status: 529, category: 'server_error', text })).toBe('BACKEND_OVERLOADED')
    expect(codeOf({ status: 429, category: 'rate_limit', text })).toBe('BACKEND_QUOTA')
    expect(codeOf({ status: 401, text })).toBe('BACKEND_AUTH')
    expect(codeOf({ status: 413, text })).toBe('CONVERSATION_TOO_LONG')
  })

  it('then the category of the CLI, then its sentence', () => {
    expect(codeOf({ category: 'authentication_failed', text: 'anything' })).toBe('BACKEND_AUTH')
    expect(codeOf({ category: 'unknown', text: 'Not logged in · Please run /login' })).toBe('BACKEND_AUTH')
    expect(codeOf({ text: 'Prompt is too long' })).toBe('CONVERSATION_TOO_LONG')
    expect(codeOf({ text: 'Claude AI usage limit reached' })).toBe('BACKEND_QUOTA')
    expect(codeOf({ text: 'No conversation found with session ID: x' })).toBe('RESUME_UNAVAILABLE')
  })

  it('[CAP-4.6] a model that does not exist is called so, by its category or its sentence', () => {
    expect(codeOf({ status: 404, category: 'model_not_found', text: 'any' })).toBe('MODEL_UNAVAILABLE')
    expect(codeOf({ text: "Model 'opus-99' not found" })).toBe('MODEL_UNAVAILABLE')
    expect(codeOf({ text: 'Authentication failed. Please check your API credentials.' })).toBe('BACKEND_AUTH')
  })

  it('a fault of the service without a better name is BACKEND_ERROR', () => {
    expect(codeOf({ status: 500, category: 'server_error', text: 'API Error: 500' })).toBe('BACKEND_ERROR')
    expect(codeOf({ text: '' })).toBe('BACKEND_ERROR')
  })
})

describe('startFailure', () => {
  it('[RES-5] a dead conversation id is RESUME_UNAVAILABLE', () => {
    expect(startFailure('No conversation found with session ID: 9\n', 'code 1')).toEqual({
      code: 'RESUME_UNAVAILABLE',
      message: 'No conversation found with session ID: 9',
    })
  })

  it('faults of the launch are not worth a second try', () => {
    expect(startFailure('Error: Session ID 1 is already in use.', '').code).toBe('ALREADY_RUNNING')
    expect(startFailure("error: option '--permission-mode <mode>' argument '-x' is invalid.", '').code).toBe(
      'INVALID_ARGUMENT',
    )
    expect(startFailure('warning: slow disk\nerror: unknown option --x', '').code).toBe('INVALID_ARGUMENT')
    expect(startFailure('--dangerously-skip-permissions cannot be used with root/sudo privileges', '').code).toBe(
      'UNSUPPORTED',
    )
    expect(startFailure('Error: Invalid MCP configuration:\nMCP config file not found: /x', '')).toEqual({
      code: 'INVALID_ARGUMENT',
      message: 'Invalid MCP configuration: MCP config file not found: /x',
    })
  })

  it('anything else is a crash, told with what was printed or how it ended', () => {
    expect(startFailure('segmentation fault', 'SIGSEGV')).toEqual({
      code: 'BACKEND_CRASHED',
      message: 'segmentation fault',
    })
    expect(startFailure('', 'SIGKILL')).toEqual({
      code: 'BACKEND_CRASHED',
      message: 'Claude Code ended before it was ready (SIGKILL).',
    })
    expect(startFailure('x'.repeat(5000), '').message).toHaveLength(300)
  })
})
