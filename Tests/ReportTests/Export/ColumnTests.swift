import Formats
import Report
import Store
import StoreTestKit
import Testing

/// The columns are a contract: appended to only, never renamed.
@Suite struct ColumnTests {
  @Test(arguments: [
    (
      ExportTable.samples,
      "run,target,variant,provider,sequence,notification_id,planned_at,sent_at,accepted_at,received_at,state,status,reason,schedule_lag_us,service_us,accept_us,delivery_us,delivery_error_us,timestamp_source,duplicates,out_of_order,connection_id,connection_age_ms,fresh_connection,streams_in_flight,attempt,payload_bytes,dns_us,connect_us,tls_us,http_version,delivery_certainty,delivery_low_us,delivery_high_us,peer_ack_us,path_us,shown_us"
    ),
    (
      .receipts,
      "run,target,sequence,notification_id,device,received_at,arrived_at,same_clock,offset_us,offset_error_us,duplicate,shown_at,opened_at,provider_at,context"
    ),
    (.events, "run,at,target,kind,connection_id,sequence,count,detail"),
    (.log, "at,level,run,target,label,message"),
    (
      .runs,
      "run,name,collector,started_at,ended_at,end_reason,targets,planned,sent,accepted,delivered,late,lost,rejected,failed,missed,interrupted"
    ),
    (.histogram, "run,target,variant,metric,lower_us,upper_us,count,upper_limits,fresh_count"),
    (
      .summary,
      "run,target,variant,metric,planned,counted,quantile,value_us,low_us,high_us,upper_limits,rests_on_limits,fresh_counted,effective_count,history"
    ),
    (
      .findings,
      "id,incident,run,target,variant,metric,kind,status,started_at,started_low,started_high,ended_at,detected_at,quantile,before_us,after_us,after_low_us,after_high_us,share_before,share_after,share_low,share_high,cause,scope,causes,evidence,samples,effective_samples,window_us,sentence"
    ),
  ]) func areAsPublished(_ table: ExportTable, _ columns: String) throws {
    #expect(table.columns.joined(separator: ",") == columns)
    #expect(try RecordedStore().export(table) == columns + "\r\n")
    #expect(try RecordedStore().export(table, .init(), .jsonl) == "")
  }
}
