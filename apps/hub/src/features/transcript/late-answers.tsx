'use client'
import { late } from '../../ui/late'

/** Few calls are questions. */
export const AnswersGiven = late(() => import('./answers-given').then((module) => module.AnswersGiven))
