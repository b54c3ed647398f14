/** Builds this machine's `hello`. */
import type { AgentManifestPayload } from '@roundhouse/backend-types'
import { policyDigest, summarizePolicy } from '../../policy/policy'
import type { PolicyWatch } from './policy-watch'

export function helloOf(software: string, name: string, owner: PolicyWatch, manifest: AgentManifestPayload) {
  const policy = owner.current()
  return {
    software,
    policyDigest: policyDigest(policy),
    manifest,
    host: { name, platform: process.platform, arch: process.arch },
    policy: {
      roots: policy.roots,
      maxSandbox: policy.maxSandbox,
      summary: summarizePolicy(policy),
      pausedAt: owner.pausedSince(),
    },
  }
}
