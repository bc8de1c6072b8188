import type { Language } from '@lantern-room/base'
import { type Diagnosis, diagnose, WAYS } from '@lantern-room/room/doctor'
import { findingInChinese, terminalWords } from '@lantern-room/room/words'
import { EXIT_ENVIRONMENT, EXIT_OK } from '../../commandLine/failure'
import { readUsedConfig } from '../compose'
import { composeDoctorOfCommand } from '../doctor/compose'
import type { Program } from './compose'
import type { Command } from './options/command'

/**
 * `room doctor`: what works on this machine, and what to do about the rest.
 * @returns the exit code: 0 when players can meet somehow
 * @throws ConfigError
 */
export async function doctor(command: Command<'doctor'>, program: Program): Promise<number> {
  const { env } = program
  const dependencies = composeDoctorOfCommand(env, await readUsedConfig(env))
  const { language } = program
  if (!command.json) process.stdout.write(`${terminalWords(language)('looking')}\n\n`)
  const diagnosis = await diagnose(dependencies)
  const { version } = program
  if (command.json) process.stdout.write(`${JSON.stringify({ version, ...diagnosis })}\n`)
  else {
    if (command.isFull) process.stdout.write(`${listOf(diagnosis.findings, language)}\n`)
    process.stdout.write(plainText(diagnosis, language))
  }
  return diagnosis.canMeet ? EXIT_OK : EXIT_ENVIRONMENT
}

type Finding = Diagnosis['findings'][number]

const MARKS: Readonly<Record<Finding['state'], string>> = { ok: 'ok    ', note: 'note  ', failed: 'FAILED' }

/** Every finding with its remedy. */
function listOf(findings: readonly Finding[], language: Language): string {
  const lines = findings.flatMap((finding) => {
    const { text, hint } = toldIn(language, finding, finding.subject ?? '')
    return [`${MARKS[finding.state]}  ${text}`, ...(hint === null ? [] : [`        ${hint}`])]
  })
  return lines.map((line) => `${line}\n`).join('')
}

/** Whether players can meet, in one line, and one for each thing that keeps them from it. */
export function plainText({ findings, ways, canMeet }: Diagnosis, language: Language): string {
  const say = terminalWords(language)
  const problems = groupsOf(findings.filter((finding) => isProblem(finding, findings, ways)))
  const how = WAYS.filter((way) => ways.includes(way))
    .map((way) => say(way))
    .join(say('and'))
  const verdict = canMeet
    ? say(problems.length > 0 ? 'canMeet' : 'allWell', { ways: how })
    : say('cannotMeet')
  const lines = problems.map((group) => problemLine(group, language))
  return [verdict, ...lines].map((line) => `${line}\n`).join('')
}

/** Where one shared node answers, the others are not missed; where none can, it is not for each of them. */
function isProblem({ check, state, id }: Finding, all: readonly Finding[], ways: Diagnosis['ways']): boolean {
  if (state !== 'failed') return false
  if (check !== 'shared-node' || isOutage(id) || id === 'shared-node-refused') return true
  return !ways.includes('nodes') && !all.some((one) => isOutage(one.id))
}

function isOutage(id: Finding['id']): boolean {
  return id === 'no-internet' || id === 'wifi-login'
}

type Group = { readonly first: Finding; readonly subjects: readonly string[] }

/** Those of one kind together: a machine may have twenty network interfaces. */
function groupsOf(findings: readonly Finding[]): readonly Group[] {
  const firsts = findings.filter(({ id }, at) => findings.findIndex((one) => one.id === id) === at)
  return firsts.map((first) => {
    const same = findings.filter(({ id }) => id === first.id)
    return { first, subjects: [...new Set(same.flatMap(({ subject }) => subject ?? []))] }
  })
}

const MAX_NAMED = 3

/** Findings in plain words, of several subjects; the others are worded so, and Chinese ones all are. */
const PLAIN: Partial<Record<Finding['id'], 'multicastFails' | 'nodeUnreachable'>> = {
  'multicast-fails': 'multicastFails',
  'shared-node-unreachable': 'nodeUnreachable',
}

function problemLine({ first, subjects }: Group, language: Language): string {
  const say = terminalWords(language)
  const named = subjects.slice(0, subjects.length > MAX_NAMED ? MAX_NAMED - 1 : MAX_NAMED)
  const left = subjects.length - named.length
  const names = named.join(say('comma')) + (left > 0 ? say('others', { count: left }) : '')
  const { text, hint } = toldIn(language, first, names)
  const plain = PLAIN[first.id]
  const problem = (plain && say(plain, { names })) || `${text.charAt(0).toUpperCase()}${text.slice(1)}`
  return say('problem', { problem, help: hint ?? '' })
}

function toldIn(language: Language, { id, text, hint }: Finding, subject: string) {
  const known = language === 'en' ? undefined : findingInChinese(id, subject)
  return { text: known?.text ?? text, hint: hint && (known?.hint ?? hint) }
}
