// The runtime for channels and scripts over a small program that speaks the Agent Client Protocol.
import { describe } from 'vitest'
import { scriptedAcpBench, scriptedAcpPrompts } from '../testing/scripted-acp'
import { runtimeRules } from './runtime.suite'

describe('AgentRuntime: a program of the Agent Client Protocol', () =>
  runtimeRules({
    createBench: () => scriptedAcpBench(),
    tells: { numTurns: false, stopReason: true, apiDuration: false, denials: false },
    prompts: scriptedAcpPrompts,
  }))
