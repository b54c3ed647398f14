/** A permission broker of one session in this folder, alone with its log: nothing is granted, and every decision is accepted. */
import { randomBytes } from 'node:crypto'
import { createRedactor } from '../redact/redactor'
import type { Journal } from '../session-host/journal/journal'
import type { BrokerPorts } from '../session-host/permissions/broker-ports'
import { FolderRules } from '../session-host/permissions/folder-rules'
import { Grants } from '../session-host/permissions/grants'
import { PermissionBroker } from '../session-host/permissions/permission-broker'

interface BrokerOf extends Partial<BrokerPorts> {
  folder: string
  journal: Journal
  now(): number
}

export function brokerIn({ folder, ...ports }: BrokerOf): PermissionBroker {
  let ids = 0
  return new PermissionBroker({
    grants: new Grants(ports.journal, ports.now),
    folderRules: new FolderRules(
      null,
      { sessionId: 's', folder: () => folder, settings: () => ({ backend: 'scripted' }) },
      () => ({ roots: [folder], maxSandbox: 'workspace-write', allowBypassPermissions: false }),
      ports.now,
    ),
    redact: createRedactor([]),
    digestKey: randomBytes(32),
    newId: () => `id-${++ids}`,
    policy: () => ({ roots: [folder], maxSandbox: 'workspace-write', allowBypassPermissions: false }),
    session: {
      workDir: () => folder,
      folders: () => [],
      rules: () => undefined,
      readsOnly: () => false,
      isOwnTool: () => false,
    },
    turnId: () => 't1',
    respond: async () => {},
    steer: async () => false,
    changeMode: () => ({ change: {}, tell: () => {} }),
    changed: () => {},
    ...ports,
  })
}
