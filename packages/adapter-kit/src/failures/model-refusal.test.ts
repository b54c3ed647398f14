import { expect, it } from 'vitest'
import { saysNoSuchModel } from './model-refusal'

it.each([
  // Claude Code, at a turn and at a change.
  "There's an issue with the selected model (no-such). It may not exist or you may not have access to it. Run --model to pick a different model.",
  "Model 'no-such' not found",
  // The services behind Codex.
  "The requested model 'no-such' does not exist.",
  'The model `no-such` does not exist or you do not have access to it.',
  "The 'no-such' model is not supported when using Codex with a ChatGPT account.",
  // Gemini CLI.
  'models/gemini-9.5 is not found for API version v1beta, or is not supported for generateContent.',
  // OpenCode, and the services that it can ask.
  'Invalid params: model not found: scripted/no-such',
  'Not Found: model: claude-9.5',
  'model "llama9" not found, try pulling it first',
  'Unknown model: no-such',
])('[CAP-4.6] says that there is no such model: %s', (sentence) => {
  expect(saysNoSuchModel(sentence)).toBe(true)
})

it.each([
  '',
  'Incorrect API key provided.',
  'This model does not support image input.',
  'The model is overloaded. Please try again later.',
  'No conversation found with session ID: 9',
  'prompt is too long: 210000 tokens > 200000 maximum',
  'Your input exceeds the context window of this model. The file was not found.',
  'No endpoints found that support tool use.',
  'Rate limit reached for model gpt-6 in organization org-1',
  'The tool model_info failed: file does not exist',
])('[CAP-4.6] says something else: %s', (sentence) => {
  expect(saysNoSuchModel(sentence)).toBe(false)
})
