'use client'
import { late } from '../../ui/late'

/** What became of questions that left without this page's answer; its code is fetched beside the page. */
export const GoneNotices = late(() => import('./gone-notices-body').then((module) => module.GoneNoticesBody))
