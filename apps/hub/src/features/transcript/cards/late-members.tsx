'use client'
import { NotRead } from '../../../ui/not-read'
import { late } from '../../../ui/overlays/late'
import type { MembersViewProps } from './members-view'

/** Loaded late, because most calls have no further members to show. */
export const MembersView = late<MembersViewProps>(
  () => import('./members-view').then((module) => module.MembersView),
  ({ complete = false, keep }) => <NotRead complete={complete} keep={keep} />,
)
