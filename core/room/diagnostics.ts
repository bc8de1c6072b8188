import type { Build } from '@lantern-room/base'
import { createSingleFlight } from '@lantern-room/base/async'
import { toStatusRecord } from './api/rooms/state'
import type { RoomConfig } from './config'
import { diagnose } from './doctor/diagnose'
import type { Diagnosis, DoctorRecord } from './doctor/diagnosis'
import type { ReportRecord } from './report/report'
import { makeReport } from './report/report'
import type { RoomApiDependencies } from './roomApiDependencies'
import type { Settings } from './service/kept/settings'
import type { RoomLog } from './service/log/roomLog'
import type { RoomState } from './service/state/roomState'

/** The parts of the running service that are looked at. */
type DiagnosedService = Build & {
  readonly settings: Settings
  readonly roomState: RoomState
  readonly log: Pick<RoomLog, 'text'>
}

/** Helps players whose room does not come about. */
export function createDiagnostics(
  config: RoomConfig,
  dependencies: RoomApiDependencies,
  service: DiagnosedService,
) {
  const { settings, roomState, log, version, builtAt } = service
  const runs = createSingleFlight<Diagnosis>()
  const diagnoseNow = () =>
    diagnose({
      ...dependencies.checks,
      nodes: settings.nodes(),
      // Ports that this program itself listens on need not be free.
      ports: {
        room: undefined,
        scaffolding: dependencies.ownPorts.portOf('room') === undefined ? config.scaffoldingPort : undefined,
      },
    })
  /** Checks what works on this machine. Concurrent calls share one run, which takes at most 3.5 s. */
  const doctor = async (): Promise<DoctorRecord> => ({
    version,
    ...(await runs.run('all', dependencies.stopping, diagnoseNow)),
  })
  /** A bundle for those who help, redacted. */
  const report = async (): Promise<ReportRecord> =>
    makeReport({
      version,
      builtAt,
      platform: dependencies.platform.targetTuple,
      networkVersion: dependencies.roomNetwork.version,
      config: { ...config, nodes: settings.nodes(), nodesFrom: settings.nodesFrom() },
      status: toStatusRecord(roomState.view()),
      doctor: await doctor(),
      logText: dependencies.logOnDisk?.() ?? log.text(),
      home: dependencies.home,
      unixTime: dependencies.clock.unixTime(),
    })
  return { doctor, report }
}
