/** A bench around the real Claude Code, with the folder of its owner's configuration. */
import { createClaudeAdapter } from '@roundhouse/adapter-claude'
import type { AdapterContext } from '@roundhouse/backend-types'
import { claudeEnvironment } from '../../../../e2e/real-backends/environment.mjs'
import { findRealBackends } from '../../../../e2e/real-backends/install.mjs'
import { startAnthropicModel } from '../../../../e2e/real-backends/model-servers/anthropic.mjs'
import { realBench } from '../real-bench'
import type { Bench } from '../rig/harness'

const { claude } = await findRealBackends('claude')
/** Null where the program is not installed. */
export const claudeBin = 'skipped' in claude ? null : claude.bin

export async function realClaudeBench(
  context: Partial<AdapterContext> = {},
): Promise<{ bench: Bench; configDir: string }> {
  let configDir = ''
  const bench = await realBench({
    startModel: startAnthropicModel,
    surround: (url) => {
      const surroundings = claudeEnvironment(url)
      configDir = surroundings.env.CLAUDE_CONFIG_DIR ?? ''
      return surroundings
    },
    adapterFor: (given) => createClaudeAdapter({ ...given, ...context }),
    bin: claudeBin ?? '',
  })
  return { bench, configDir }
}
