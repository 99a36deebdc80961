<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en" sourcelanguage="en">
<context>
    <name>ClusterModel</name>
    <message numerus="yes">
        <source>{name}, %Ln document(s)</source>
        <translation>
            <numerusform>{name}, %Ln document</numerusform>
            <numerusform>{name}, %Ln documents</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ClustersPanel</name>
    <message numerus="yes">
        <source>%Ln cluster(s)</source>
        <translation>
            <numerusform>%Ln cluster</numerusform>
            <numerusform>%Ln clusters</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>CompareHeader</name>
    <message numerus="yes">
        <source>%Ln identical span(s)</source>
        <translation>
            <numerusform>%Ln identical span</numerusform>
            <numerusform>%Ln identical spans</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>DuplicatesPanel</name>
    <message numerus="yes">
        <source>%Ln document(s) in a language the model cannot read: compared by exact text only.</source>
        <translation>
            <numerusform>%Ln document in a language the model cannot read: compared by exact text only.</numerusform>
            <numerusform>%Ln documents in a language the model cannot read: compared by exact text only.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Exporter</name>
    <message numerus="yes">
        <source>%Ln row(s) copied to the clipboard.</source>
        <translation>
            <numerusform>%Ln row copied to the clipboard.</numerusform>
            <numerusform>%Ln rows copied to the clipboard.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>FolderPlanPage</name>
    <message numerus="yes">
        <source>Scanning the folder: %Ln file(s)</source>
        <translation>
            <numerusform>Scanning the folder: %Ln file</numerusform>
            <numerusform>Scanning the folder: %Ln files</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln file(s), {size}</source>
        <translation>
            <numerusform>%Ln file, {size}</numerusform>
            <numerusform>%Ln files, {size}</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>MapLegend</name>
    <message numerus="yes">
        <source>{name}, %Ln document(s)</source>
        <translation>
            <numerusform>{name}, %Ln document</numerusform>
            <numerusform>{name}, %Ln documents</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>OutliersPanel</name>
    <message numerus="yes">
        <source>%Ln outlier(s)</source>
        <translation>
            <numerusform>%Ln outlier</numerusform>
            <numerusform>%Ln outliers</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>RecentRow</name>
    <message numerus="yes">
        <source>%Ln document(s)</source>
        <translation>
            <numerusform>%Ln document</numerusform>
            <numerusform>%Ln documents</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>RerankPanel</name>
    <message numerus="yes">
        <source>%Ln result(s), in search order</source>
        <translation>
            <numerusform>%Ln result, in search order</numerusform>
            <numerusform>%Ln results, in search order</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln result(s) reranked; {far} moved by 10 places or more</source>
        <translation>
            <numerusform>%Ln result reranked; {far} moved by 10 places or more</numerusform>
            <numerusform>%Ln results reranked; {far} moved by 10 places or more</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>StatusBar</name>
    <message numerus="yes">
        <source>%Ln document(s)</source>
        <translation>
            <numerusform>%Ln document</numerusform>
            <numerusform>%Ln documents</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln passage(s)</source>
        <translation>
            <numerusform>%Ln passage</numerusform>
            <numerusform>%Ln passages</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln problem(s)</source>
        <translation>
            <numerusform>%Ln problem</numerusform>
            <numerusform>%Ln problems</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>TrendsModel</name>
    <message numerus="yes">
        <source>%Ln document(s)</source>
        <translation>
            <numerusform>%Ln document</numerusform>
            <numerusform>%Ln documents</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>TrendsPanel</name>
    <message numerus="yes">
        <source>%Ln dated document(s), {unit}</source>
        <translation>
            <numerusform>%Ln dated document, {unit}</numerusform>
            <numerusform>%Ln dated documents, {unit}</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln document(s) without a date.</source>
        <translation>
            <numerusform>%Ln document without a date.</numerusform>
            <numerusform>%Ln documents without a date.</numerusform>
        </translation>
    </message>
</context>
</TS>
