import { homedir } from 'node:os'
import { targetTriple } from '#core/adapters/system/targetTriple'
import { builtAt, version } from '#core/build'
import type { Environment } from '#core/environment'
import { diagnose } from '#core/room/doctor/diagnose'
import { toDoctorRecord } from '#core/room/doctor/doctorRecord'
import { makeReport } from '#core/room/report/report'
import type { ReportRecord } from '#core/room/report/reportRecord'
import { dataFolderOf, logFilesOf, readUsedConfig } from '../compose'
import { composeDoctor } from '../doctor/compose'

/** The bundle of `GET /report` without a service that runs: of the log on disk. @throws ConfigError */
export async function composeReport(env: Environment): Promise<ReportRecord> {
  const config = await readUsedConfig(env)
  const files = logFilesOf(config, dataFolderOf(config, env))
  return makeReport({
    version,
    builtAt,
    platform: targetTriple().targetTuple,
    networkVersion: undefined,
    config,
    status: undefined,
    doctor: toDoctorRecord(await diagnose(composeDoctor(env, config)), version),
    logText: files?.text() ?? '',
    home: homedir(),
    unixTime: Date.now(),
  })
}
